#include "sim/timeline/breakdown.hpp"

#include <algorithm>
#include <array>

namespace stepcast {

namespace {

constexpr const char* kForward = "forward";
constexpr const char* kBackward = "backward";
constexpr const char* kOtherCompute = "other compute";
constexpr const char* kExposed = "exposed communication";
constexpr const char* kWaiting = "waiting for slower ranks";
constexpr const char* kBubble = "pipeline bubble";
constexpr const char* kIdle = "idle";

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

bool is_other(TaskKind kind) {
  return kind == TaskKind::Update || kind == TaskKind::OtherCompute;
}

/// Returns the row of that name, which is added if there is none.
std::uint32_t row_named(std::vector<NamedTime>& rows, const std::string& name) {
  const auto known = std::ranges::find(rows, name, &NamedTime::name);
  const auto row = static_cast<std::uint32_t>(known - rows.begin());
  if (known == rows.end())
    rows.push_back({name, {}});
  return row;
}

}  // namespace

Seconds total_of(const std::vector<NamedTime>& times) {
  Seconds sum;
  for (const NamedTime& part : times)
    sum += part.time;
  return sum;
}

Seconds compute_of(const Breakdown& breakdown) {
  return breakdown.forward + breakdown.backward + breakdown.recomputation +
         total_of(breakdown.other_compute);
}

Seconds total_of(const Breakdown& breakdown) {
  return compute_of(breakdown) + total_of(breakdown.exposed_communication) + breakdown.waiting +
         breakdown.bubble + breakdown.idle;
}

void scale(std::vector<NamedTime>& times, double factor) {
  for (NamedTime& part : times)
    part.time = part.time * factor;
}

void scale(Breakdown& breakdown, double factor) {
  for (Seconds* part : {&breakdown.forward, &breakdown.backward, &breakdown.recomputation,
                        &breakdown.waiting, &breakdown.bubble, &breakdown.idle})
    *part = *part * factor;
  scale(breakdown.other_compute, factor);
  scale(breakdown.exposed_communication, factor);
}

// Phases of one name share a line.
Breakdowns::Breakdowns(const Plan& plan) : plan_(plan), line_of_phase_(plan.phases.size(), kNone) {
  const ByCollective used = collectives_used(plan);
  for (const bool is_used : used.used)
    line_of_kind_.push_back((line_of_kind_.empty() ? 0 : line_of_kind_.back()) + (is_used ? 1 : 0));
  without_times_.exposed_communication = used.named();
  for (const Task& task : plan.graph.tasks()) {
    std::uint32_t& line = line_of_phase_[task.phase];
    const bool has_line = is_other(task.kind) || is_message_phase(phase_of(plan, task));
    if (has_line && line == kNone && phase_of(plan, task) != kRecomputation)
      line = row_named(communicates(plan, task) ? without_times_.exposed_communication
                                                : without_times_.other_compute,
                       phase_of(plan, task));
  }
}

Breakdown Breakdowns::of(const Window& window) const {
  Breakdown breakdown = without_times_;
  for (const Segment& segment : window.segments) {
    const Seconds time = segment.end - segment.begin;
    if (segment.activity == Activity::Idle)
      breakdown.idle += time;
    else if (segment.activity == Activity::Waiting)
      (plan_.summary.stages > 1 ? breakdown.bubble : breakdown.waiting) += time;
    else if (const Task& task = plan_.graph.task(segment.task);
             task.kind == TaskKind::Communication)
      breakdown.exposed_communication[line_of_kind_[collective_index(plan_, task)] - 1].time +=
          time;
    else if (is_other(task.kind) && line_of_phase_[task.phase] == kNone)
      breakdown.recomputation += time;
    else if (is_other(task.kind) || communicates(plan_, task))
      (communicates(plan_, task) ? breakdown.exposed_communication
                                 : breakdown.other_compute)[line_of_phase_[task.phase]]
          .time += time;
    else if (task.kind == TaskKind::Forward)
      breakdown.forward += time;
    else {
      const double share = task.layer < plan_.recomputed.size() ? plan_.recomputed[task.layer] : 0;
      breakdown.recomputation += time * share;
      breakdown.backward += time - time * share;
    }
  }
  return breakdown;
}

Breakdown breakdown_of(const Plan& plan, const Window& window) {
  return Breakdowns(plan).of(window);
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

std::vector<NamedTime> breakdown_rows(const Breakdown& parts) {
  std::vector<NamedTime> rows{{kForward, parts.forward}, {kBackward, parts.backward}};
  const auto add = [&](const char* what, const std::vector<NamedTime>& times) {
    for (const NamedTime& part : times)
      rows.push_back({std::string(what).append(": ").append(part.name), part.time});
  };
  if (parts.recomputation > Seconds{})
    rows.push_back({std::string(kRecomputation), parts.recomputation});
  add(kOtherCompute, parts.other_compute);
  add(kExposed, parts.exposed_communication);
  rows.push_back({kWaiting, parts.waiting});
  if (parts.bubble > Seconds{})
    rows.push_back({kBubble, parts.bubble});
  rows.push_back({kIdle, parts.idle});
  return rows;
}

std::vector<std::string> breakdown_labels() {
  return {kForward, kBackward, std::string(kRecomputation), kOtherCompute, kExposed, kWaiting,
          kBubble,  kIdle};
}

}  // namespace stepcast
