#include "sim/forecast/hybrid/bubble_split.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "models/graph/predecessors.hpp"
#include "sim/timeline/window.hpp"

namespace stepcast {
namespace {

constexpr Seconds BubbleSplit::*kWithoutStragglers[] = {
    &BubbleSplit::warm_up, &BubbleSplit::drain, &BubbleSplit::imbalance, &BubbleSplit::messages,
    &BubbleSplit::exchange};

struct Gap {
  Seconds begin{};
  Seconds end{};
};

/// What a stage does in a step, in order: tasks of its compute stream.
struct StageTasks {
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  ClassId rank_class = 0;
  std::vector<TaskId> tasks{};
  std::size_t first_backward = kNowhere;  ///< Places among them.
  std::size_t last_forward = 0;
  std::size_t passes = 0;  ///< So many tasks; behind them is the update.
};

class BubbleSplitter {
 public:
  BubbleSplitter(const Plan& plan, const Timeline& timeline, const std::vector<Rank>& stages)
      : plan_(plan),
        timeline_(timeline),
        predecessors_(predecessors_of(plan.graph, {})),
        latest_ready_(latest_ready_of(plan, timeline)),
        update_(std::ranges::find(plan.phases, "update") - plan.phases.begin()) {
    const std::vector<std::vector<TaskId>> tasks = compute_tasks_of(plan, stages);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      StageTasks& stage = stages_.emplace_back();
      stage.rank_class = timeline.class_of_rank[stages[i]];
      for (const TaskId id : tasks[i])
        add_task(stage, id, plan.graph.task(id));
    }
    for (const StageTasks& stage : stages_)
      if (stage.passes > 0)
        passes_end_ = std::max(passes_end_, at(stage, stage.passes - 1).end);
  }

  std::vector<BubbleSplit> splits() {
    std::vector<BubbleSplit> splits;
    for (const StageTasks& stage : stages_) {
      BubbleSplit& split = splits.emplace_back();
      if (!stage.tasks.empty())
        add_begin(split, stage);
      for (std::size_t place = 1; place < stage.tasks.size(); ++place)
        add_gap(split, stage, place, {at(stage, place - 1).end, at(stage, place).start});
    }
    return splits;
  }

 private:
  void add_task(StageTasks& stage, TaskId id, const Task& task) const {
    const std::size_t place = stage.tasks.size();
    if (task.kind == TaskKind::Forward)
      stage.last_forward = place;
    if (task.kind == TaskKind::Backward && stage.first_backward == StageTasks::kNowhere)
      stage.first_backward = place;
    if (task.phase != update_)
      stage.passes = place + 1;
    stage.tasks.push_back(id);
  }

  const Interval& at(const StageTasks& stage, std::size_t place) const {
    return timeline_.at(1, stage.tasks[place], stage.rank_class);
  }

  // From the update of the step before on: until any stage begins this one, it is the end of that
  // step.
  void add_begin(BubbleSplit& split, const StageTasks& stage) const {
    const Seconds begin = timeline_.begin;
    const Seconds since = at(stage, stage.tasks.size() - 1).end - timeline_.iteration_time;
    split.exchange += std::max(Seconds{}, begin - since);
    add_gap(split, stage, 0, {std::max(begin, since), at(stage, 0).start});
  }

  /// Of the communications that a task waits for the one that ends last; kNone without any.
  TaskId last_communication(const StageTasks& stage, TaskId task) const {
    TaskId last = kNone;
    for (const Predecessor& before : predecessors_.of(task)) {
      if (plan_.graph.task(before.task).kind != TaskKind::Communication)
        continue;
      const Interval& interval = timeline_.at(1, before.task, stage.rank_class);
      if (last == kNone || interval.end > timeline_.at(1, last, stage.rank_class).end)
        last = before.task;
    }
    return last;
  }

  void add_gap(BubbleSplit& split, const StageTasks& stage, std::size_t place,
               const Gap& gap) const {
    if (!(gap.end > gap.begin))
      return;
    const TaskId waited_for = last_communication(stage, stage.tasks[place]);
    if (waited_for == kNone)
      return add_others(split, stage, place, gap);
    const Interval& interval = timeline_.at(1, waited_for, stage.rank_class);
    const Seconds made = std::clamp(latest_ready_[sent_as(waited_for)], gap.begin, gap.end);
    const Seconds come = std::clamp(interval.end, made, gap.end);
    add_others(split, stage, place, {gap.begin, made});
    (is_message(waited_for) ? split.messages : split.exchange) += come - made;
    split.exchange += gap.end - come;
  }

  bool is_message(TaskId task) const {
    const std::uint32_t index = plan_.graph.task(task).collective;
    return index != kNone && plan_.collectives[index].collective.kind == CollectiveKind::Send;
  }

  /// A message is sent before it arrives, where that is a task of its own.
  TaskId sent_as(TaskId task) const {
    for (const Predecessor& before : predecessors_.of(task))
      if (is_message(task) && is_message(before.task))
        return before.task;
    return task;
  }

  // Other stages work, or, once no stage has passes left, exchange.
  void add_others(BubbleSplit& split, const StageTasks& stage, std::size_t place,
                  const Gap& gap) const {
    if (place <= stage.first_backward) {
      split.warm_up += gap.end - gap.begin;
    } else if (place > stage.last_forward) {
      const Seconds cut = std::clamp(passes_end_, gap.begin, gap.end);
      split.drain += cut - gap.begin;
      split.exchange += gap.end - cut;
    } else {
      split.imbalance += gap.end - gap.begin;
    }
  }

  const Plan& plan_;
  const Timeline& timeline_;
  Predecessors predecessors_;
  std::vector<Seconds> latest_ready_;
  std::ptrdiff_t update_;  // the phase
  std::vector<StageTasks> stages_;
  Seconds passes_end_{};  // of the last stage that has any
};

}  // namespace

std::vector<NamedTime> named(const BubbleSplit& split) {
  return {{"warm_up", split.warm_up},     {"drain", split.drain},
          {"imbalance", split.imbalance}, {"messages", split.messages},
          {"exchange", split.exchange},   {"stragglers", split.stragglers}};
}

std::vector<std::vector<TaskId>> compute_tasks_of(const Plan& plan,
                                                  const std::vector<Rank>& ranks) {
  std::vector<std::vector<std::size_t>> places_of;  // among the ranks, by team
  for (const Team& team : plan.teams) {
    places_of.emplace_back();
    for (std::size_t place = 0; place < ranks.size(); ++place)
      if (find_group(team, ranks[place]))
        places_of.back().push_back(place);
  }
  std::vector<std::vector<TaskId>> tasks(ranks.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (const Task& task = plan.graph.task(id); task.stream == 0)
      for (const std::size_t place : places_of[task.team])
        tasks[place].push_back(id);
  return tasks;
}

std::vector<BubbleSplit> split_bubbles(const Plan& plan, const Timeline& timeline,
                                       const std::vector<Rank>& stages) {
  return BubbleSplitter(plan, timeline, stages).splits();
}

BubbleSplit with_stragglers(const BubbleSplit& with, const BubbleSplit& without) {
  BubbleSplit split = with;
  for (Seconds BubbleSplit::*part : kWithoutStragglers) {
    split.*part = std::min(with.*part, without.*part);
    split.stragglers += with.*part - split.*part;
  }
  return split;
}

BubbleSplit scaled_to(BubbleSplit split, Seconds total) {
  const Seconds sum = split.total();
  if (!(sum > Seconds{}))
    return split;
  const double factor = total / sum;
  for (Seconds BubbleSplit::*part : kWithoutStragglers)
    split.*part = split.*part * factor;
  split.stragglers = split.stragglers * factor;
  return split;
}

}  // namespace stepcast
