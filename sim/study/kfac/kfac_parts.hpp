#pragma once
// Where the time of a K-FAC step goes, in the terms of the papers.

#include <array>
#include <vector>

#include "sim/timeline/breakdown.hpp"

namespace stepcast {

/// In the order in which the authors' protocol switches them on, then what it cannot tell apart.
enum class KfacPart : std::uint8_t {
  ForwardBackward,
  GradientCommunication,  ///< And that of metrics.
  Preconditioning,
  FactorComputation,
  FactorCommunication,
  InverseComputation,
  InverseCommunication,  ///< And that of preconditioned gradients.
  Packing,               ///< Of factors and inverses; and unpacking.
  Other,                 ///< Negotiation, waiting for slower ranks, update.
};

/// As the option `parts` of the schedules names them: "ff-bp", "factor-communication".
const char* name_of(KfacPart part);
inline constexpr std::size_t kKfacParts = static_cast<std::size_t>(KfacPart::Other) + 1;

/// The part that a task belongs to, by its kind and the first words of its label.
KfacPart part_of(const Plan& plan, const Task& task);

/// Exposed time of every part, in the order of the enum: compute as it runs, communication only
/// where no compute runs meanwhile. Adds up to the window.
std::vector<NamedTime> kfac_parts_of(const Plan& plan, const Window& window);

}  // namespace stepcast
