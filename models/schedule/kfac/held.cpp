#include "models/schedule/kfac/held.hpp"

#include <algorithm>

namespace stepcast::kfac {
namespace {

constexpr Bytes kElement{4};  // fp32

}  // namespace

Holdings::Holdings(std::uint32_t ranks, std::span<const Factor> factors)
    : factors_(factors),
      everywhere_(factors.size()),
      elsewhere_(ranks, std::vector<bool>(factors.size())) {}

void Holdings::add(std::span<const Rank> ranks, std::size_t factor) {
  if (ranks.empty())
    everywhere_[factor] = true;
  for (const Rank rank : ranks)
    elsewhere_[rank][factor] = true;
}

Bytes Holdings::most() const {
  Bytes most{};
  for (const std::vector<bool>& here : elsewhere_) {
    Bytes held{};
    for (std::size_t factor = 0; factor < factors_.size(); ++factor)
      if (here[factor] || everywhere_[factor])
        held += kElement * (static_cast<double>(factors_[factor].side) * factors_[factor].side);
    most = std::max(most, held);
  }
  return most;
}

void hold_beside_matrices(MemoryUse& use, const Workload& workload, Construction construction) {
  if (construction == Construction::None)
    return;
  for (const Layer& layer : workload.layers) {
    if (!layer.kronecker)
      continue;
    const double g = layer.kronecker->g;
    const Bytes output_gradients = kElement * (static_cast<double>(layer.kronecker->rows) * g);
    use.kept_by_hooks = construction == Construction::WithinPasses
                            ? std::max(use.kept_by_hooks, output_gradients)
                            : use.kept_by_hooks + output_gradients;
    use.preconditioned += kElement * (layer.kronecker->a * g);
  }
}

}  // namespace stepcast::kfac
