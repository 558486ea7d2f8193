#include "models/workload/device_costs.hpp"

#include "models/base/fields.hpp"

namespace stepcast {

auto fields_of(Is<RatePoint> auto& point) {
  auto& [side, rate] = point;
  return std::tie(side, rate);
}

auto fields_of(Is<InversePoint> auto& point) {
  auto& [side, time] = point;
  return std::tie(side, time);
}

auto fields_of(Is<KfacCosts> auto& costs) {
  auto& [products, product_launch, factor_launch, unfold_passes, average_passes, packing_passes,
         unpacking_passes, inverses, inverse_launch, inverse_passes, precondition_launch,
         memory_bandwidth, provenance] = costs;
  return std::tie(products, product_launch, factor_launch, unfold_passes, average_passes,
                  packing_passes, unpacking_passes, inverses, inverse_launch, inverse_passes,
                  precondition_launch, memory_bandwidth, provenance);
}

auto fields_of(Is<CompressionCosts> auto& costs) {
  auto& [exact, search_rounds, sample, fit_passes, pick_passes, feedback_passes, scatter_traffic,
         low_rank_passes, launch, memory_bandwidth, provenance] = costs;
  return std::tie(exact, search_rounds, sample, fit_passes, pick_passes, feedback_passes,
                  scatter_traffic, low_rank_passes, launch, memory_bandwidth, provenance);
}

std::string bytes_of_device_costs(const Workload& workload) {
  return bytes_of(workload.kfac) + bytes_of(workload.compression);
}

}  // namespace stepcast
