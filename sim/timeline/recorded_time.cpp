#include "sim/timeline/recorded_time.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// When the first of these tasks computes, on any class; counted from the begin of the iteration.
Seconds begin_of(const Plan& plan, const Timeline& timeline, TaskId first, TaskId end) {
  bool found = false;
  Seconds begin{};
  for (TaskId id = first; id < end; ++id) {
    const Task& task = plan.graph.task(id);
    if (task.stream != 0 || task.kind == TaskKind::Communication)
      continue;
    for (ClassId c = 0; c < timeline.classes.size(); ++c)
      if (const Interval& ran = timeline.at(1, id, c); ran.end >= Seconds{}) {
        begin = found ? std::min(begin, ran.start) : ran.start;
        found = true;
      }
  }
  return begin - timeline.begin;
}

}  // namespace

std::vector<RecordedStretch> stretches_of(const Plan& plan, const Timeline& timeline) {
  std::vector<RecordedStretch> stretches;
  for (const RepeatedSteps& steps : repeats_of(plan)) {
    const Seconds begin = begin_of(plan, timeline, steps.first, steps.end);
    const Seconds end = begin_of(plan, timeline, steps.end, steps.end + steps.tasks());
    RecordedStretch stretch{
        .begin = begin, .length = end - begin, .whole = end - begin, .steps = steps};
    const double rounds = steps.rounds * static_cast<double>(steps.times);
    for (const RecordedStretch& inner : stretches)
      if (steps.holds(inner.steps.first))
        stretch.whole += inner.length * (inner.steps.left_out() / rounds);
    stretches.push_back(stretch);
  }
  return stretches;
}

Seconds recorded_time(const Plan& plan, const Timeline& timeline) {
  Seconds time = timeline.iteration_time;
  for (const RecordedStretch& stretch : stretches_of(plan, timeline))
    time -= stretch.length * stretch.steps.left_out();
  return time;
}

}  // namespace stepcast
