#pragma once
// Small plans and timelines written by hand, so that every expected number can be read off a
// sketch.

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

inline Seconds ms(double value) {
  return {value * 1e-3};
}

/// When a task ran on one class, in ms from the begin of its iteration; end < 0: no member.
struct Ran {
  double start = 0;
  double end = 0;
  double ready = -1;  ///< -1: at its start.
};

/// A task of a hand-made plan; runs[class].
struct HandTask {
  TaskKind kind = TaskKind::Forward;
  std::string label;
  std::vector<Ran> runs;
  StreamId stream = 0;
  CollectiveKind collective = CollectiveKind::AllReduce;
  Bytes size{1e6};
  TeamId team = 0;
  std::string phase{};  ///< Default: the usual one of its kind.
};

/// Two nodes of two GPUs; 1 GB/s inside, 0.5 GB/s between nodes.
inline Cluster small_cluster() {
  Cluster cluster;
  cluster.name = "test-2x2";
  cluster.nodes = 2;
  cluster.gpus_per_node = 2;
  cluster.intra_node = {.bandwidth = {1e9}, .startup = {1e-6}};
  cluster.nic = {.bandwidth = {0.5e9}, .startup = {1e-5}};
  cluster.provenance.source = "made up";
  return cluster;
}

/// Two layers with 1 ms forward and 2 ms backward each.
inline Workload small_workload() {
  Workload workload;
  workload.name = "two-layers";
  workload.batch = 4;
  workload.layers = {
      {.name = "conv", .kind = "Conv2d", .forward = ms(1), .backward = ms(2), .parameters = {}},
      {.name = "fc", .kind = "Linear", .forward = ms(1), .backward = ms(2), .parameters = {}}};
  return workload;
}

inline Plan plan_of(const std::vector<HandTask>& hand, const std::vector<TaskGraph::Edge>& edges,
                    std::vector<TaskGraph::Edge> next, DispatchRule rule = InOrder{}) {
  std::vector<Task> tasks;
  std::vector<std::string> labels;
  std::vector<PlannedCollective> collectives;
  std::vector<std::string> phases = usual_phases();
  for (const HandTask& each : hand) {
    Task task{.kind = each.kind, .stream = each.stream, .team = each.team};
    task.phase = static_cast<PhaseId>(each.kind);
    if (!each.phase.empty()) {
      const auto known = std::ranges::find(phases, each.phase);
      task.phase = static_cast<PhaseId>(known - phases.begin());
      if (known == phases.end())
        phases.push_back(each.phase);
    }
    task.label = static_cast<std::uint32_t>(labels.size());
    labels.push_back(each.label);
    if (each.kind == TaskKind::Communication) {
      task.collective = static_cast<std::uint32_t>(collectives.size());
      collectives.push_back({{.kind = each.collective, .size = each.size}});
    }
    tasks.push_back(task);
  }
  return {.schedule = "by-hand",
          .summary = {.workers = 4, .passes = 1, .samples = 16},
          .graph = TaskGraph(tasks, edges),
          .next = std::move(next),
          .streams = {{.name = "compute"}, {.name = "comm", .rule = rule}, {.name = "comm 2"}},
          .collectives = std::move(collectives),
          .teams = {world_team(small_cluster())},
          .labels = std::move(labels),
          .phases = std::move(phases),
          .memory = {.activations_known = false},
          .notes = {}};
}

/// The steady timeline in which every iteration runs as the tasks say. The reported iteration is
/// the third.
inline Timeline timeline_of(const std::vector<HandTask>& hand, Seconds iteration) {
  Timeline timeline;
  const std::size_t classes = hand[0].runs.size();
  timeline.classes.resize(classes);
  for (Rank rank = 0; rank < 4; ++rank)
    timeline.class_of_rank.push_back(static_cast<ClassId>(rank < classes - 1 ? rank : classes - 1));
  for (ClassId c = 0; c < classes; ++c)
    timeline.classes[c] = {.representative = c, .count = 1};
  timeline.classes.back().count = static_cast<std::uint32_t>(4 - (classes - 1));
  timeline.iterations = 3;
  timeline.iteration_time = timeline.worst_iteration_time = iteration;
  timeline.steady = true;
  timeline.begin = iteration * 2;
  timeline.places = Places(hand.size(), static_cast<std::uint32_t>(classes));
  for (int k = 0; k < 2; ++k)
    for (const HandTask& task : hand)
      for (const Ran& ran : task.runs) {
        const Seconds from = iteration * (k + 1);
        const double ready = ran.ready < 0 ? ran.start : ran.ready;
        timeline.intervals[k].push_back(
            ran.end < 0 ? Interval{ms(-1), ms(-1), ms(-1)}
                        : Interval{from + ms(ready), from + ms(ran.start), from + ms(ran.end)});
      }
  return timeline;
}

/// FF, BP, one all-reduce after a pause of 0.5 ms, and the next step behind it; 10 ms:
///
///     compute  |F0|F1|  B1  |  B0  |                   |
///     comm                           .|   bucket 0     |
///              0  1  2      4      6 6.5              10
inline std::vector<HandTask> serial_tasks() {
  return {{TaskKind::Forward, "conv", {{0, 1}}},
          {TaskKind::Forward, "fc", {{1, 2}}},
          {TaskKind::Backward, "fc", {{2, 4}}},
          {TaskKind::Backward, "conv", {{4, 6}}},
          {TaskKind::Communication, "bucket 0", {{6.5, 10, 6}}, 1}};
}
inline Plan serial_plan() {
  return plan_of(serial_tasks(), {{3, 4}}, {{4, 0}});
}
inline Timeline serial_timeline() {
  return timeline_of(serial_tasks(), ms(10));
}

}  // namespace stepcast
