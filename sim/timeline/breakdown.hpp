#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/timeline/window.hpp"

namespace stepcast {

struct NamedTime {
  std::string name;
  Seconds time{};
};

auto fields_of(Is<NamedTime> auto& named) {
  auto& [name, time] = named;
  return std::tie(name, time);
}

/// Where the time of one iteration goes, on one class of ranks. The parts add up to the iteration.
struct Breakdown {
  Seconds forward{};
  Seconds backward{};
  Seconds recomputation{};                       ///< Of forward passes, in backward ones.
  std::vector<NamedTime> other_compute;          ///< By phase, in plan order.
  std::vector<NamedTime> exposed_communication;  ///< While nothing computes: by collective, then
                                                 ///< messages on the compute stream, by phase.
  Seconds waiting{};                             ///< For slower ranks.
  Seconds bubble{};                              ///< Of a pipeline: for other stages.
  Seconds idle{};
};

auto fields_of(Is<Breakdown> auto& parts) {
  auto& [forward, backward, recomputation, other, exposed, waiting, bubble, idle] = parts;
  return std::tie(forward, backward, recomputation, other, exposed, waiting, bubble, idle);
}

/// The parts as rows with labels, in the order in which reports print them. They add up to the
/// iteration; parts that take no time have their row, but for recomputation and the bubble.
std::vector<NamedTime> breakdown_rows(const Breakdown& parts);

/// All labels that these rows can have, without those of phases and collectives.
std::vector<std::string> breakdown_labels();

/// Sum of the parts that compute.
Seconds compute_of(const Breakdown& breakdown);

/// Sum of all parts.
Seconds total_of(const Breakdown& breakdown);
Seconds total_of(const std::vector<NamedTime>& times);

/// Multiplies every part.
void scale(Breakdown& breakdown, double factor);
void scale(std::vector<NamedTime>& times, double factor);

/// Every phase of compute and every collective of the plan has its line, also when it takes no
/// time.
Breakdown breakdown_of(const Plan& plan, const Window& window);

/// The same of several windows of a plan: its lines are looked up once, O(tasks), and a breakdown
/// takes O(segments).
class Breakdowns {
 public:
  explicit Breakdowns(const Plan& plan);
  Breakdown of(const Window& window) const;

 private:
  const Plan& plan_;
  Breakdown without_times_;
  std::vector<std::uint32_t> line_of_phase_;  // of other compute, or of messages on its stream
  std::vector<std::uint32_t> line_of_kind_;   // of collectives, from 1: those used up to the kind
};

/// The same for any class, e.g. to see what fast ranks lose to a straggler.
Breakdown breakdown_of(const Plan& plan, const Timeline& timeline, ClassId rank_class);

/// Time during which at least one collective of the kind runs on the class, overlapped or not.
std::vector<NamedTime> communication_of(const Plan& plan, const Window& window);

}  // namespace stepcast
