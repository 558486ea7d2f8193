#pragma once

#include <string>
#include <string_view>

#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast::examples {

/// Costs that are easy to add up: products at 1 TFLOP/s, inverses of `side` us between 1 and 1000.
inline KfacCosts plain_kfac_costs() {
  return {.products = {{1, {1e12}}},
          .inverses = {{1, Seconds{1e-6}}, {1000, Seconds{1e-3}}},
          .memory_bandwidth = BytesPerSecond{1e12}};
}

/// `count` layers of a x g weights with factors, and a BatchNorm without after the first.
inline Workload kfac_workload(std::uint32_t count) {
  Workload workload{.name = "kfac", .model = "kfac", .device = "test", .batch = 1};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t a = 100 + 10 * i;
    const std::uint32_t g = 50 + i;
    workload.layers.push_back({.name = std::string("layer").append(std::to_string(i)),
                               .kind = "Linear",
                               .forward = Seconds{1e-3},
                               .backward = Seconds{2e-3},
                               .parameters = {{.name = "weight", .elements = std::uint64_t{a} * g}},
                               .kronecker = KroneckerFactors{.a = a, .g = g, .rows = 32}});
    if (i == 0)
      workload.layers.push_back({.name = "bn",
                                 .kind = "BatchNorm2d",
                                 .forward = Seconds{1e-4},
                                 .backward = Seconds{1e-4},
                                 .parameters = {{.name = "weight", .elements = 64}}});
  }
  workload.kfac = plain_kfac_costs();
  return workload;
}

/// Communications whose labels begin so.
inline std::size_t communications(const Plan& plan, std::string_view label) {
  std::size_t count = 0;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    count += plan.graph.task(id).kind == TaskKind::Communication &&
             plan.labels[plan.graph.task(id).label].starts_with(label);
  return count;
}

}  // namespace stepcast::examples
