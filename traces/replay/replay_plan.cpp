#include "traces/replay/replay_plan.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/schedule/communicate.hpp"
#include "traces/replay/joined_steps.hpp"

namespace stepcast {
namespace {

/// The ranks of the job; 0 if neither it nor its largest group was recorded.
std::uint32_t job_size(const RecordedStep& step) {
  std::uint32_t ranks = step.world_size;
  for (const RecordedTask& task : step.tasks)
    ranks = std::max(ranks, task.ranks);
  return ranks;
}

/// " (0, 1, 2, ...)", " (which is not recorded)".
std::string which(const RecordedTask& task) {
  constexpr std::size_t kShown = 8;
  if (task.group.empty())
    return " (which is not recorded)";
  const std::span<const std::uint32_t> group(task.group);
  return fmt::format(" ({}{})", fmt::join(group.first(std::min(kShown, group.size())), ", "),
                     group.size() > kShown ? ", ..." : "");
}

/// Why a collective cannot be predicted; empty if it can.
std::string why_unpredictable(const RecordedTask& task, std::uint32_t job) {
  if (!task.collective)
    return "its kind was not recorded, so it cannot be predicted; --without all leaves collectives "
           "out";
  const std::string_view kind = name_of(*task.collective);
  if (*task.collective == CollectiveKind::Send)
    return fmt::format(
        "a point-to-point transfer cannot be predicted: its peer was not recorded; --without {} "
        "leaves it out",
        kind);
  if (task.size <= Bytes{})
    return fmt::format(
        "its size was not recorded, so it cannot be predicted: record with a PyTorch that notes "
        "\"In msg nelems\" and \"dtype\" of collectives; --without {} leaves it out",
        kind);
  if (task.ranks != 0 && task.ranks != job)
    return fmt::format(
        "{} of the job's {} ranks ran it{}: a replay takes all ranks as alike, so it cannot be "
        "predicted; --without {} leaves it out",
        task.ranks, job, which(task), kind);
  return "";
}

/// Whether the change leaves out a task: a collective that costs nothing. One whose kind was not
/// recorded is left out with all kinds.
bool is_removed(const RecordedTask& task, const WhatIf& change) {
  if (task.kind != RecordedKind::Collective)
    return false;
  if (!task.collective)
    return change.without.size() == all_collective_kinds().size();
  return std::ranges::find(change.without, *task.collective) != change.without.end();
}

/// Whether the cluster's network is to tell how long a task takes. A group of one rank communicates
/// with nobody: it takes what was recorded.
bool is_predicted(const RecordedTask& task, const WhatIf& change) {
  return change.predict_collectives && task.kind == RecordedKind::Collective && task.ranks != 1 &&
         !is_removed(task, change);
}

void refuse_unpredictable(const RecordedStep& step, const WhatIf& change) {
  const std::uint32_t job = job_size(step);
  for (const RecordedTask& task : step.tasks)
    if (is_predicted(task, change))
      if (const std::string why = why_unpredictable(task, job); !why.empty())
        throw InputError(fmt::format("{}: {}: {}", step.name, task.label, why));
}

/// Writes the tasks of a step with the builder's verbs.
class PlanWriter {
 public:
  PlanWriter(const RecordedStep& step, const Cluster& cluster, const WhatIf& change)
      : step_(step), change_(change), builder_("replay", no_workload_, cluster) {}

  Plan write() && {
    for (std::size_t i = 1; i < step_.streams.size(); ++i)
      builder_.stream(step_.streams[i]);
    std::vector<TaskId> tasks;
    for (const RecordedTask& task : step_.tasks)
      tasks.push_back(add(task));
    for (const auto& [before, after] : step_.edges)
      builder_.after(tasks[after], {tasks[before]});
    for (const auto& [stream, task] : step_.earlier)
      if (const auto last = last_.find(stream); last != last_.end())
        builder_.next_after(tasks[task], {last->second.first});
    return std::move(builder_).build();
  }

 private:
  TaskId add(const RecordedTask& task) {
    const TaskId added = is_predicted(task, change_) ? communicate(task) : compute(task);
    keep_order(task, added);
    return added;
  }

  TaskId compute(const RecordedTask& task) {
    return builder_.compute(task.label, duration_of(task), {.stream = task.stream});
  }

  Seconds duration_of(const RecordedTask& task) const {
    if (change_.without_host && !is_of_device(task.kind))
      return {};
    switch (task.kind) {
      case RecordedKind::Host:
        return task.duration / change_.host_speed;
      case RecordedKind::Kernel:
      case RecordedKind::Copy:
        return task.duration / change_.device_speed;
      case RecordedKind::Collective:
        return is_removed(task, change_) ? Seconds{} : task.duration;
      case RecordedKind::Delay:
        return task.duration;
    }
    return {};
  }

  TaskId communicate(const RecordedTask& task) {
    const CommunicationOptions options{.stream = collective_stream(task.stream)};
    if (*task.collective == CollectiveKind::Send)
      throw std::logic_error("a send to predict");  // refuse_unpredictable() refuses it.
    return stepcast::communicate(builder_, *task.collective, task.label, task.size, options);
  }

  /// A stream of a plan holds compute or communication, one of the device may hold both: its
  /// collectives get a stream of their own, and edges where one kind follows the other.
  StreamId collective_stream(StreamId stream) {
    const auto found = collective_stream_.find(stream);
    if (found != collective_stream_.end())
      return found->second;
    const StreamId added = builder_.stream(step_.streams[stream] + ", collectives");
    collective_stream_.emplace(stream, added);
    return added;
  }

  void keep_order(const RecordedTask& task, TaskId added) {
    const bool communication = is_predicted(task, change_);
    const auto [last, first] = last_.try_emplace(task.stream, added, communication);
    if (!first && last->second.second != communication)
      builder_.after(added, {last->second.first});
    last->second = {added, communication};
  }

  const RecordedStep& step_;
  const WhatIf& change_;
  const Workload no_workload_;
  Builder builder_;
  std::map<StreamId, StreamId> collective_stream_;
  std::map<StreamId, std::pair<TaskId, bool>> last_;  // task of each recorded stream
};

}  // namespace

ReplayPlan replay_plan(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                       const WhatIf& change) {
  for (const RecordedStep& step : steps)
    refuse_unpredictable(step, change);
  std::vector<RecordedStep> changed;
  if (change.buckets)
    for (const RecordedStep& step : steps)
      changed.push_back(with_buckets(step, *change.buckets));
  JoinedSteps joined = join(change.buckets ? changed : steps);
  Plan plan = PlanWriter(joined.all, cluster, change).write();
  return {std::move(plan), std::move(joined.all), std::move(joined.begin)};
}

}  // namespace stepcast
