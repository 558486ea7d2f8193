#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/timeline/window.hpp"

namespace stepcast {

struct NamedTime {
  std::string name;
  Seconds time{};
};

/// Where the time of one iteration goes, on one class of ranks. The parts add up to the iteration.
struct Breakdown {
  Seconds forward{};
  Seconds backward{};
  std::vector<NamedTime> other_compute;          ///< By kind, in plan order.
  std::vector<NamedTime> exposed_communication;  ///< By collective, no compute running meanwhile.
  Seconds waiting{};                             ///< For slower ranks.
  Seconds idle{};
};

/// Sum of all parts.
Seconds total_of(const Breakdown& breakdown);
Seconds total_of(const std::vector<NamedTime>& times);

/// Multiplies every part.
void scale(Breakdown& breakdown, double factor);
void scale(std::vector<NamedTime>& times, double factor);

/// Every kind of compute and collective of the plan has its line, also when it takes no time.
Breakdown breakdown_of(const Plan& plan, const Window& window);

/// The same for any class, e.g. to see what fast ranks lose to a straggler.
Breakdown breakdown_of(const Plan& plan, const Timeline& timeline, ClassId rank_class);

/// Time during which at least one collective of the kind runs on the class, overlapped or not.
std::vector<NamedTime> communication_of(const Plan& plan, const Window& window);

/// Kind of a compute task: "forward", "backward", "update", else its label up to a quote, a digit
/// or " of " (`inverse of "conv1"` is of kind "inverse").
std::string_view compute_kind_of(const Plan& plan, const Task& task);

}  // namespace stepcast
