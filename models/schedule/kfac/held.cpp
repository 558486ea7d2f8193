#include "models/schedule/kfac/held.hpp"

#include <algorithm>

namespace stepcast::kfac {
namespace {

constexpr Bytes kElement{4};  // fp32

}  // namespace

Holdings::Holdings(std::uint32_t ranks, std::span<const Factor> factors)
    : factors_(factors), everywhere_(factors.size()), elsewhere_(ranks) {}

void Holdings::add(std::span<const Rank> ranks, std::size_t factor) {
  if (ranks.empty())
    everywhere_[factor] = true;
  for (const Rank rank : ranks)
    elsewhere_[rank].push_back(factor);
}

// Sums of whole numbers: in any order the same.
Bytes Holdings::most() const {
  const auto size_of = [&](std::size_t factor) {
    return kElement * (static_cast<double>(factors_[factor].side) * factors_[factor].side);
  };
  Bytes common{};
  for (std::size_t factor = 0; factor < factors_.size(); ++factor)
    if (everywhere_[factor])
      common += size_of(factor);
  Bytes most = common;
  for (std::vector<std::size_t> own : elsewhere_) {
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    Bytes held = common;
    for (const std::size_t factor : own)
      if (!everywhere_[factor])
        held += size_of(factor);
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
