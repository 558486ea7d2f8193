#include "traces/readers/kineto/steps.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace stepcast {
namespace {

using Events = std::vector<const KinetoEvent*>;

Events annotations_by_start(const KinetoTrace& trace) {
  Events found;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Annotation)
      found.push_back(&event);
  std::ranges::stable_sort(found, {}, &KinetoEvent::start);
  return found;
}

Seconds end_of(const KinetoTrace& trace) {
  Seconds end{};
  for (const KinetoEvent& event : trace.events)
    end = std::max(end, event.end());
  return end;
}

Seconds begin_of(const KinetoTrace& trace) {
  Seconds begin = trace.events.empty() ? Seconds{} : trace.events.front().start;
  for (const KinetoEvent& event : trace.events)
    begin = std::min(begin, event.start);
  return begin;
}

/// A step lasts until the next one begins; the last one until its annotation, or the trace, ends.
KinetoSteps from(const KinetoTrace& trace, const Events& marks, std::string how, Seconds end) {
  KinetoSteps result{.how = std::move(how), .thread = marks.front()->thread};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Seconds until = i + 1 < marks.size() ? marks[i + 1]->start : end;
    if (until > marks[i]->start)
      result.steps.push_back(
          {.name = trace.name_of(*marks[i]), .begin = marks[i]->start, .end = until});
  }
  return result;
}

Events profiler_steps(const KinetoTrace& trace, const Events& annotations) {
  Events marks;
  for (const KinetoEvent* event : annotations)
    if (trace.name_of(*event).starts_with("ProfilerStep#"))
      marks.push_back(event);
  return marks;
}

Events first_that_repeats(const Events& annotations) {
  std::map<std::uint32_t, Events> by_name;
  for (const KinetoEvent* event : annotations)
    by_name[event->name].push_back(event);
  for (const KinetoEvent* event : annotations)
    if (by_name[event->name].size() > 1)
      return by_name[event->name];
  return {};
}

std::uint16_t busiest_thread(const KinetoTrace& trace) {
  std::map<std::uint16_t, std::size_t> operators;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Operator)
      ++operators[event.thread];
  const auto most = std::ranges::max_element(operators, {}, [](auto& e) { return e.second; });
  return most == operators.end() ? std::uint16_t{0} : most->first;
}

}  // namespace

KinetoSteps find_steps(const KinetoTrace& trace) {
  const Events annotations = annotations_by_start(trace);
  if (const Events marks = profiler_steps(trace, annotations); !marks.empty()) {
    KinetoSteps found = from(trace, marks, "ProfilerStep annotations", marks.back()->end());
    if (!found.steps.empty())
      return found;
  }
  if (const Events marks = first_that_repeats(annotations); !marks.empty()) {
    KinetoSteps found =
        from(trace, marks, fmt::format("annotation \"{}\"", trace.name_of(*marks.front())),
             end_of(trace));
    for (std::size_t i = 0; i < found.steps.size(); ++i)
      found.steps[i].name = fmt::format("step {}", i);
    if (!found.steps.empty())
      return found;
  }
  return {.steps = {{.name = "trace", .begin = begin_of(trace), .end = end_of(trace)}},
          .how = "no annotation: all of the trace is one step",
          .thread = busiest_thread(trace)};
}

Seconds mean_step(const KinetoSteps& steps) {
  return (steps.steps.back().end - steps.steps.front().begin) /
         static_cast<double>(steps.steps.size());
}

}  // namespace stepcast
