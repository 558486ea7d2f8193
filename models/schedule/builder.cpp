#include "models/schedule/builder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/plan_checks.hpp"

namespace stepcast {

Builder::Builder(const OptionReader& read, const Workload& workload, const Cluster& cluster)
    : Builder(read.schedule(), workload, cluster) {
  optimiser_ = optimiser_of(read);
}

Builder::Builder(std::string schedule, const Workload& workload, const Cluster& cluster)
    : workload_(workload),
      cluster_(cluster),
      schedule_(std::move(schedule)),
      optimiser_(kUsualOptimiser),
      streams_{Stream{.name = "compute"}},
      teams_{world_team(cluster)} {
  tasks_.reserve(4 * workload.layers.size());
  labels_.reserve(4 * workload.layers.size());
}

StreamId Builder::stream(std::string name, DispatchRule rule) {
  streams_.push_back({.name = std::move(name), .rule = rule});
  return checked_id(streams_.size() - 1, "streams");
}

TeamId Builder::team(Team team) try {
  teams_.push_back(team_of(std::move(team.groups)));
  return checked_id(teams_.size() - 1, "teams");
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", schedule_, error.what()));
}

TeamId Builder::group(std::vector<Rank> ranks) {
  if (ranks.empty())
    throw InputError(schedule_ + ": a group without ranks");
  return team({{Group{std::move(ranks)}}});
}

TaskId Builder::forward(LayerId layer, const std::vector<TaskId>& after) {
  const Layer& profiled = workload_.layers.at(layer);
  const TaskId task = add({.kind = TaskKind::Forward,
                           .on_host = profiled.kind == kHostGap,
                           .phase = phase_of(phase_of_pass(profiled), TaskKind::Forward),
                           .team = workers_,
                           .layer = layer,
                           .duration = profiled.forward},
                          profiled.name);
  this->after(task, after);
  return task;
}

TaskId Builder::backward(LayerId layer, const std::vector<TaskId>& after) {
  const Layer& profiled = workload_.layers.at(layer);
  const TaskId task = add({.kind = TaskKind::Backward,
                           .on_host = profiled.kind == kHostGap,
                           .phase = phase_of(phase_of_pass(profiled), TaskKind::Backward),
                           .team = workers_,
                           .layer = layer,
                           .duration = profiled.backward},
                          profiled.name);
  this->after(task, after);
  return task;
}

TaskId Builder::update(std::string label, const std::vector<TaskId>& after, double share) {
  const TaskId task = add({.kind = TaskKind::Update,
                           .phase = phase_of({}, TaskKind::Update),
                           .team = workers_,
                           .duration = workload_.update * share},
                          std::move(label));
  this->after(task, after);
  return task;
}

TaskId Builder::compute(std::string label, Seconds duration, const ComputeOptions& options) {
  const TaskId task = add({.kind = TaskKind::OtherCompute,
                           .on_host = options.on_host,
                           .phase = phase_of(options.phase, TaskKind::OtherCompute),
                           .stream = options.stream,
                           .team = options.team,
                           .duration = duration},
                          std::move(label));
  after(task, options.after);
  return task;
}

TaskId Builder::compute(std::string_view phase, std::string_view of, Seconds duration,
                        ComputeOptions options) {
  options.phase = phase;
  std::string label;
  label.reserve(phase.size() + 4 + of.size());
  label.append(phase).append(" of ").append(of);
  return compute(std::move(label), duration, options);
}

TaskId Builder::all_reduce(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::AllReduce, std::move(label), size, options);
}

TaskId Builder::reduce_scatter(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::ReduceScatter, std::move(label), size, options);
}

TaskId Builder::all_gather(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::AllGather, std::move(label), size, options);
}

TaskId Builder::all_to_all(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::AllToAll, std::move(label), size, options);
}

TaskId Builder::broadcast(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::Broadcast, std::move(label), size, options);
}

TaskId Builder::reduce(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::Reduce, std::move(label), size, options);
}

TaskId Builder::send(std::string label, Bytes size, const CommunicationOptions& options) {
  return communicate(CollectiveKind::Send, std::move(label), size, options);
}

TaskId Builder::copy(const Plan& plan, TaskId task, StreamId stream, TeamId team) {
  Task copied = plan.graph.task(task);
  copied.phase = phase_of(stepcast::phase_of(plan, copied), copied.kind);
  copied.stream = stream;
  copied.team = team;
  if (copied.collective != kNone) {
    collectives_.push_back(plan.collectives[copied.collective]);
    copied.collective = checked_id(collectives_.size() - 1, "collectives");
  }
  return add(copied, plan.labels[copied.label]);
}

void Builder::after(TaskId task, std::span<const TaskId> earlier) {
  for (const TaskId before : earlier) {
    if (std::max(before, task) >= tasks_.size())
      throw InputError(
          fmt::format("{}: {} waits for {}", schedule_, name_of(task), name_of(before)));
    edges_.emplace_back(before, task);
  }
}

void Builder::after(TaskId task, std::initializer_list<TaskId> earlier) {
  after(task, std::span(earlier.begin(), earlier.size()));
}

void Builder::next_after(TaskId task, std::span<const TaskId> of_iteration_before) {
  for (const TaskId before : of_iteration_before)
    next_.emplace_back(before, task);
}

void Builder::next_after(TaskId task, std::initializer_list<TaskId> of_iteration_before) {
  next_after(task, std::span(of_iteration_before.begin(), of_iteration_before.size()));
}

void Builder::later_after(TaskId task, TaskId earlier, std::uint32_t iterations) {
  if (iterations == 0)
    return after(task, {earlier});
  if (iterations == 1)
    return next_after(task, {earlier});
  later_.push_back({.before = earlier, .after = task, .iterations = iterations});
}

void Builder::announce(TaskId communication, TaskId task) {
  announcements_.emplace_back(task, communication);
}

void Builder::needs(TaskId task, std::uint32_t count) {
  quorums_.push_back({.task = task, .needed = count});
}

TaskId Builder::wait(Pending& pending) {
  if (pending.tasks.empty())
    return kNone;
  return compute(pending.phase, pending.of, {}, {.after = std::exchange(pending.tasks, {})});
}

void Builder::end_step() {
  later_steps_.push_back(static_cast<TaskId>(tasks_.size()));
}

void Builder::note(Note note) {
  notes_.push_back(std::move(note));
}

Plan Builder::build() && {
  if (!later_steps_.empty() && later_steps_.back() == tasks_.size())
    later_steps_.pop_back();
  Plan plan{.schedule = std::move(schedule_),
            .summary = summary(),
            .graph = TaskGraph(std::move(tasks_), edges_),
            .next = std::move(next_),
            .later = std::move(later_),
            .quorums = std::move(quorums_),
            .announcements = std::move(announcements_),
            .streams = std::move(streams_),
            .collectives = std::move(collectives_),
            .teams = std::move(teams_),
            .labels = std::move(labels_),
            .phases = std::move(phases_),
            .later_steps = std::move(later_steps_),
            .notes = std::move(notes_)};
  require_known_ids(plan);
  require_common_ranks(plan);
  plan.memory = usual_memory(plan, workload_, cluster_, optimiser_);
  return plan;
}

Summary Builder::summary() const {
  const auto workers = static_cast<std::uint32_t>(teams_[workers_].ranks());
  return {.workers = workers,
          .passes = passes_,
          .samples = static_cast<double>(workload_.batch) * workers * passes_};
}

PhaseId Builder::phase_of(std::string_view name, TaskKind kind) {
  if (name.empty())
    return static_cast<PhaseId>(kind);
  const auto found = std::ranges::find(phases_, name);
  const PhaseId phase =
      checked_short_id(static_cast<std::size_t>(found - phases_.begin()), "phases");
  if (found == phases_.end())
    phases_.emplace_back(name);
  return phase;
}

// One that was written lately is not kept again: programs of many tasks have few labels.
std::uint32_t Builder::label_of(std::string label) {
  const std::size_t number = std::hash<std::string_view>()(label);
  std::uint32_t& lately = recent_labels_[number % recent_labels_.size()];
  if (lately < labels_.size() && labels_[lately] == label)
    return lately;
  lately = checked_id(labels_.size(), "labels");
  labels_.push_back(std::move(label));
  return lately;
}

std::string Builder::name_of(TaskId task) const {
  if (task >= tasks_.size())
    return fmt::format("task {} of {}, which is not there", task, tasks_.size());
  return '"' + labels_[tasks_[task].label] + '"';
}

TaskId Builder::add(Task task, std::string label) {
  task.label = label_of(std::move(label));
  tasks_.push_back(task);
  const TaskId id = checked_id(tasks_.size() - 1, "tasks");
  if (task.stream == 0 && task.team == 0)
    last_everywhere_ = id;
  return id;
}

TaskId Builder::communicate(CollectiveKind kind, std::string label, Bytes size,
                            const CommunicationOptions& options) {
  const std::uint32_t index = checked_id(collectives_.size(), "collectives");
  collectives_.push_back(
      {.collective = {.kind = kind,
                      .algorithm = options.algorithm.value_or(default_algorithm(kind)),
                      .size = size,
                      .root = options.root,
                      .shares = options.shares},
       .priority = options.priority,
       .overhead = options.overhead,
       .ideal = options.ideal,
       .fusable = options.fusable});
  const TaskId task = add({.kind = TaskKind::Communication,
                           .phase = phase_of(options.phase, TaskKind::Communication),
                           .stream = options.stream,
                           .team = options.team,
                           .collective = index},
                          std::move(label));
  after(task, options.after);
  next_after(task, options.next_after);
  return task;
}

}  // namespace stepcast
