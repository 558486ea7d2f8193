#include "models/collective/curves/trees.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {

using nccl::Protocol;
using nccl::Shape;

Trees::Trees(const CurveFit& fit, std::optional<NodePath> nccl, std::uint32_t ranks)
    : fit_(fit),
      nccl_(fit.ranks_per_node > 0 ? nccl : std::nullopt),
      is_tuned_(nccl_ && fit.tree_below > Bytes{} && fit.tree_ranks > 0 && ranks > fit.tree_ranks),
      below_(fit.tree_below) {
  if (!is_tuned_)
    return;
  nccl::Communicator asked = on(ranks);
  asked.bandwidth = nccl::bandwidth_by_switch(on(fit.tree_ranks), fit.tree_below);
  is_tuned_ = asked.bandwidth > BytesPerSecond{};
  if (is_tuned_)
    below_ = nccl::tree_below(asked);
}

bool Trees::may_be_taken_by(std::uint32_t ranks) const {
  return !nccl_ || nccl::startup(on(ranks), Shape::Tree, Protocol::LL, {}) <
                       nccl::startup(on(ranks), Shape::Ring, Protocol::LL, {});
}

double Trees::steps(std::uint32_t ranks) const {
  if (nccl_)
    return nccl::startup(on(ranks), Shape::Tree, Protocol::LL, {}).value * 1e6;
  return std::log2(ranks / std::max(1U, fit_.ranks_per_node));
}

nccl::Communicator Trees::on(std::uint32_t ranks) const {
  return {.ranks = ranks, .nodes = ranks / fit_.ranks_per_node, .inside = *nccl_};
}

}  // namespace stepcast
