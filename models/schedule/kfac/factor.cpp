#include "models/schedule/kfac/factor.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast::kfac {
namespace {

Factor factor_of(const Layer& layer, LayerId id, bool is_a, const KfacCosts& costs) {
  const std::uint32_t side = is_a ? layer.kronecker->a : layer.kronecker->g;
  return {.layer = id,
          .name = layer.name + (is_a ? " (A)" : " (G)"),
          .side = side,
          .construction = factor_time(costs, layer.kronecker->rows, side),
          .inversion = inverse_time(costs, side),
          .packing = packing_time(costs, side),
          .unpacking = unpacking_time(costs, side),
          .size = packed_size(side)};
}

}  // namespace

std::vector<Factor> factors_of(const std::string& schedule, const Workload& workload,
                               const KfacCosts& costs) {
  std::vector<Factor> factors;
  for (LayerId id = 0; id < workload.layers.size(); ++id)
    if (workload.layers[id].kronecker)
      for (const bool is_a : {true, false})
        factors.push_back(factor_of(workload.layers[id], id, is_a, costs));
  if (factors.empty())
    throw InputError(
        fmt::format("{}: workload {}: expected layers with \"kronecker\": {{\"a\", \"g\", "
                    "\"rows\"}}, found none",
                    schedule, workload.name));
  return factors;
}

}  // namespace stepcast::kfac
