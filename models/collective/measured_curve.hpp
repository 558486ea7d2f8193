#pragma once
// Times of collectives read off measured curves.
//
// How it works. A ring over P ranks moves chunks of size / P in a number of rounds that only
// depends on P, so its time is
//   T(P, size) = fixed + rounds(P) * g(size / P)
// whatever g is: switches between protocols happen at a chunk size, not at a message size. So
// curves of several rank counts are compared at equal *chunk*, and read between and beyond rank
// counts along the line in rounds(P). Small all-reduces go through a tree:
//   T(nodes, size) = fixed(size) + log2(nodes) * h(size)
// and are compared at equal size. Where the tree gives way to the ring is found by fit_curves();
// beyond the largest measured rank count the cheaper of both is taken, as the library would, up to
// a size that has grown with the ranks.
// Sizes are interpolated in log-log on each curve, and extended by the fitted ring bandwidth. What
// comes out is made possible: see curves/possible_time.hpp.
//
// Assumes groups with equally many ranks on each node and an otherwise idle network.

#include <cstdint>
#include <optional>

#include "models/collective/collective.hpp"
#include "models/network/cluster.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// A time off the curves, and how far it went beyond what was measured.
struct CurveEstimate {
  Seconds time{};
  bool beyond_ranks = false;       ///< Fewer or more ranks than any curve.
  bool beyond_sizes = false;       ///< Outside the sizes (chunks) measured.
  std::uint32_t fewest_ranks = 0;  ///< Of those curves, if it lies beyond them.
  std::uint32_t most_ranks = 0;
  bool half_all_reduce = false;  ///< A reduce-scatter or all-gather as half of a ring all-reduce.

  bool extrapolated() const { return beyond_ranks || beyond_sizes; }
};

/// The time of `kind` over `ranks` ranks, equally many on each of `nodes` nodes. None if no curve
/// of that kind has as many ranks a node (or, for one node, lies inside a node). A reduce-scatter
/// or all-gather without a curve of its own is half of a ring all-reduce. Precondition: fits.
std::optional<CurveEstimate> find_time(const MeasuredCollectives& measured, CollectiveKind kind,
                                       std::uint32_t ranks, std::uint32_t nodes, Bytes size);

/// The same for a collective of a plan: none if the cluster has no curves, if the algorithm is not
/// the default one (a named algorithm is a closed form), if members have unequal shares, or if the
/// group is uneven over nodes.
std::optional<CurveEstimate> find_measured_time(const Collective& collective, const Group& group,
                                                const Cluster& cluster);

/// The closed-form `phases`, which take `closed_form`, brought to take `time`: bytes stay as they
/// are and the rest of the time is paid up front, except where the curve is faster than the links
/// allow; then the bytes shrink. Concurrent traffic shares links either way.
std::vector<Phase> scaled_to(std::vector<Phase> phases, Seconds closed_form, Seconds time);

/// Curves of one kind are alike but for the rank count if they have the same scope: the ranks on
/// each node, or 0 inside one node (CurveFit::ranks_per_node).
std::uint32_t scope_of(std::uint32_t ranks, std::uint32_t nodes);

/// What the curves of a kind and scope have in common; null if there are none.
const CurveFit* find_fit(const MeasuredCollectives& measured, CollectiveKind kind,
                         std::uint32_t scope);

/// 2(P-1) for an all-reduce, P-1 for the others.
double ring_rounds(CollectiveKind kind, std::uint32_t ranks);

/// The alpha-beta line of a fit: rounds * (startup + size / ranks / bandwidth).
Seconds alpha_beta_time(const CurveFit& fit, std::uint32_t ranks, Bytes size);

}  // namespace stepcast
