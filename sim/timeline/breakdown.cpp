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

/// Lines of `other_compute` by phase; those of one name share theirs.
class OtherCompute {
 public:
  OtherCompute(const Plan& plan, std::vector<NamedTime>& lines)
      : lines_(lines), line_of_(plan.phases.size(), kNone) {
    for (const Task& task : plan.graph.tasks())
      if (is_other(task.kind) && line_of_[task.phase] == kNone)
        line_of_[task.phase] = line_named(phase_of(plan, task));
  }

  static bool is_other(TaskKind kind) {
    return kind == TaskKind::Update || kind == TaskKind::OtherCompute;
  }

  void add(const Task& task, Seconds time) { lines_[line_of_[task.phase]].time += time; }

 private:
  std::uint32_t line_named(const std::string& name) {
    const auto line = std::ranges::find(lines_, name, &NamedTime::name) - lines_.begin();
    if (static_cast<std::size_t>(line) == lines_.size())
      lines_.push_back({name, {}});
    return static_cast<std::uint32_t>(line);
  }

  std::vector<NamedTime>& lines_;
  std::vector<std::uint32_t> line_of_;
};

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

Breakdown breakdown_of(const Plan& plan, const Window& window) {
  Breakdown breakdown;
  ByCollective exposed = collectives_used(plan);
  OtherCompute other(plan, breakdown.other_compute);
  for (const Segment& segment : window.segments) {
    const Seconds time = segment.end - segment.begin;
    if (segment.activity == Activity::Idle)
      breakdown.idle += time;
    else if (segment.activity == Activity::Waiting)
      breakdown.waiting += time;
    else if (const Task& task = plan.graph.task(segment.task); task.kind == TaskKind::Communication)
      exposed.time[collective_index(plan, task)] += time;
    else if (OtherCompute::is_other(task.kind))
      other.add(task, time);
    else
      (task.kind == TaskKind::Forward ? breakdown.forward : breakdown.backward) += time;
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
