#pragma once
// Where the time of a K-FAC step goes, in the terms of the papers.

#include <array>
#include <vector>

#include "sim/report/breakdown.hpp"

namespace stepcast {

/// Forward and backward; gradients (and metrics) travel; factors are constructed; factors travel;
/// inverses are computed; inverses and preconditioned gradients travel; factors and inverses are
/// packed and unpacked; gradients are preconditioned; the rest (negotiation, waiting for slower
/// ranks, update).
enum class KfacPart : std::uint8_t {
  ForwardBackward,
  GradientCommunication,
  FactorComputation,
  FactorCommunication,
  InverseComputation,
  InverseCommunication,
  Packing,
  Preconditioning,
  Other,
};

const char* name_of(KfacPart part);
inline constexpr std::size_t kKfacParts = static_cast<std::size_t>(KfacPart::Other) + 1;

/// The part that a task belongs to, by its kind and the first words of its label.
KfacPart part_of(const Plan& plan, const Task& task);

/// Exposed time of every part, in the order of the enum: compute as it runs, communication only
/// where no compute runs meanwhile. Adds up to the window.
std::vector<NamedTime> kfac_parts_of(const Plan& plan, const Window& window);

}  // namespace stepcast
