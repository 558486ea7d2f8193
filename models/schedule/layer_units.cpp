#include "models/schedule/layer_units.hpp"

namespace stepcast {

std::vector<LayerUnit> layer_units(const Workload& workload, Bytes limit) {
  std::vector<LayerUnit> units;
  for (LayerId layer = 0; layer < workload.layers.size(); ++layer) {
    const Bytes size = parameter_size(workload.layers[layer]);
    const bool full = !units.empty() && size > Bytes{} && units.back().size > Bytes{} &&
                      units.back().size + size > limit;
    if (units.empty() || full)
      units.push_back({.first = layer});
    units.back().last = layer;
    units.back().size += size;
  }
  return units;
}

}  // namespace stepcast
