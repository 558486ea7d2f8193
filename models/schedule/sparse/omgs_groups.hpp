#pragma once

#include <functional>
#include <span>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast::sparse {

/// A layer's gradient before merging, in the order in which gradients become ready.
struct OmgsLayer {
  Seconds backward{};  ///< Of its layer and of those without parameters before it.
  double elements = 0;
};

/// Costs that OMGS-SGD's rule weighs.
struct OmgsCosts {
  std::function<Seconds(double elements)> selection;      ///< On the compute stream.
  std::function<Seconds(double elements)> communication;  ///< Of what is selected of so many.
};

/// How many layers each group takes. OMGS-SGD (Shi et al., INFOCOM 2020): walking from the last
/// layer, a layer joins the next one if what it then waits,
///   t_w = tb(next) + ts(both) - ts(this) - ts(next) - (begin of its communication - its
///   selection's end), is less than what one communication saves, t_save = tc(this) + tc(next) -
///   tc(both).
std::vector<std::size_t> omgs_groups(std::span<const OmgsLayer> layers, const OmgsCosts& costs);

}  // namespace stepcast::sparse
