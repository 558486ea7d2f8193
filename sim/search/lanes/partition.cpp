#include "sim/search/lanes/partition.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {
namespace {

/// What a hop takes for a piece.
Seconds piece_time(const TensorHop& hop, double parts, const TransferRatio& ratio) {
  const Bytes size = hop.node->size;
  if (!(size > Bytes{}))
    return hop.taken / parts;
  return hop.taken * (ratio ? ratio(*hop.kind, *hop.node, size / parts, 0, 0) : 1 / parts);
}

}  // namespace

Seconds time_in_pieces(const std::vector<TensorHop>& hops, std::uint32_t parts,
                       const TransferRatio& ratio) {
  Seconds sum{};
  Seconds slowest{};
  for (const TensorHop& hop : hops) {
    const Seconds piece = piece_time(hop, parts, ratio);
    sum += piece;
    slowest = std::max(slowest, piece);
  }
  return sum + slowest * static_cast<double>(parts - 1);
}

std::uint32_t best_parts(const std::vector<TensorHop>& hops, const TransferRatio& ratio) {
  constexpr double kMost = 4096;
  constexpr std::uint32_t kWithoutStartup = 16;
  constexpr double kRounding = 1e-9;
  const TensorHop& slowest = *std::ranges::max_element(hops, {}, &TensorHop::taken);
  const Seconds half = piece_time(slowest, 2, ratio);
  const Seconds startup = half * 2.0 - slowest.taken;
  if (startup <= slowest.taken * kRounding)
    return kWithoutStartup;
  const Seconds moving = (slowest.taken - half) * 2.0;  // m slope
  const double others = static_cast<double>(hops.size()) - 1;
  const double best = std::sqrt(std::max(0.0, others * (moving / startup)));
  return static_cast<std::uint32_t>(std::lround(std::clamp(best, 2.0, kMost)));
}

}  // namespace stepcast
