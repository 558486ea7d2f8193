#pragma once

#include <vector>

#include "models/workload/workload.hpp"

namespace stepcast {

/// Consecutive layers whose parameters travel together.
struct LayerUnit {
  LayerId first = 0;
  LayerId last = 0;
  Bytes size{};
};

/// Layers in forward order; a unit closes before the layer that would take it above `limit`. A
/// layer is never split, and one without parameters joins the unit that is open.
std::vector<LayerUnit> layer_units(const Workload& workload, Bytes limit);

}  // namespace stepcast
