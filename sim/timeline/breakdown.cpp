#include "sim/timeline/breakdown.hpp"

#include <algorithm>
#include <array>

namespace stepcast {

namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(CollectiveKind::Send) + 1;

/// A time for each kind of collective, and whether the plan uses it.
struct ByCollective {
  std::array<Seconds, kKinds> time{};
  std::array<bool, kKinds> used{};

  std::vector<NamedTime> named() const {
    std::vector<NamedTime> result;
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      if (used[kind])
        result.push_back({name_of(static_cast<CollectiveKind>(kind)), time[kind]});
    return result;
  }
};

std::size_t collective_index(const Plan& plan, const Task& task) {
  return static_cast<std::size_t>(plan.collectives[task.collective].collective.kind);
}

ByCollective collectives_used(const Plan& plan) {
  ByCollective result;
  for (const PlannedCollective& planned : plan.collectives)
    result.used[static_cast<std::size_t>(planned.collective.kind)] = true;
  return result;
}

std::string_view kind_in_label(std::string_view label) {
  const std::size_t end = std::min(label.find_first_of("\"'0123456789"), label.find(" of "));
  std::string_view kind = label.substr(0, end);
  while (!kind.empty() && (kind.back() == ' ' || kind.back() == '.' || kind.back() == '_'))
    kind.remove_suffix(1);
  return kind.empty() ? "other" : kind;
}

/// Adds a time to the line of its name, appending the line when it is new.
void add_named(std::vector<NamedTime>& times, std::string_view name, Seconds time) {
  const auto it = std::ranges::find(times, name, &NamedTime::name);
  if (it == times.end())
    times.push_back({std::string(name), time});
  else
    it->time += time;
}

void add_compute(Breakdown& breakdown, const Plan& plan, const Task& task, Seconds time) {
  switch (task.kind) {
    case TaskKind::Forward:
      breakdown.forward += time;
      return;
    case TaskKind::Backward:
      breakdown.backward += time;
      return;
    case TaskKind::Update:
    case TaskKind::OtherCompute:
      return add_named(breakdown.other_compute, compute_kind_of(plan, task), time);
    case TaskKind::Communication:
      return;
  }
}

}  // namespace

Seconds total_of(const std::vector<NamedTime>& times) {
  Seconds sum;
  for (const NamedTime& part : times)
    sum += part.time;
  return sum;
}

Seconds total_of(const Breakdown& breakdown) {
  return breakdown.forward + breakdown.backward + total_of(breakdown.other_compute) +
         total_of(breakdown.exposed_communication) + breakdown.waiting + breakdown.idle;
}

void scale(std::vector<NamedTime>& times, double factor) {
  for (NamedTime& part : times)
    part.time = part.time * factor;
}

void scale(Breakdown& breakdown, double factor) {
  for (Seconds* part :
       {&breakdown.forward, &breakdown.backward, &breakdown.waiting, &breakdown.idle})
    *part = *part * factor;
  scale(breakdown.other_compute, factor);
  scale(breakdown.exposed_communication, factor);
}

std::string_view compute_kind_of(const Plan& plan, const Task& task) {
  switch (task.kind) {
    case TaskKind::Forward:
      return "forward";
    case TaskKind::Backward:
      return "backward";
    case TaskKind::Update:
      return "update";
    case TaskKind::OtherCompute:
      return kind_in_label(plan.labels[task.label]);
    case TaskKind::Communication:
      break;
  }
  return "communication";
}

Breakdown breakdown_of(const Plan& plan, const Window& window) {
  Breakdown breakdown;
  ByCollective exposed = collectives_used(plan);
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    add_compute(breakdown, plan, plan.graph.task(id), Seconds{});
  for (const Segment& segment : window.segments) {
    const Seconds time = segment.end - segment.begin;
    if (segment.activity == Activity::Idle)
      breakdown.idle += time;
    else if (segment.activity == Activity::Waiting)
      breakdown.waiting += time;
    else if (const Task& task = plan.graph.task(segment.task); task.kind == TaskKind::Communication)
      exposed.time[collective_index(plan, task)] += time;
    else
      add_compute(breakdown, plan, task, time);
  }
  breakdown.exposed_communication = exposed.named();
  return breakdown;
}

Breakdown breakdown_of(const Plan& plan, const Timeline& timeline, ClassId rank_class) {
  return breakdown_of(plan, window_of(plan, timeline, rank_class, latest_ready_of(plan, timeline)));
}

std::vector<NamedTime> communication_of(const Plan& plan, const Window& window) {
  ByCollective busy = collectives_used(plan);
  std::array<Seconds, kKinds> covered{};
  for (const Piece& piece : window.communications) {
    const std::size_t kind = collective_index(plan, plan.graph.task(piece.task));
    if (piece.end <= covered[kind])
      continue;
    busy.time[kind] += piece.end - std::max(piece.begin, covered[kind]);
    covered[kind] = piece.end;
  }
  return busy.named();
}

}  // namespace stepcast
