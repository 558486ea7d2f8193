#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/passes.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Buckets of gradients, as where each ends among the gradients in ready order: {2, 5} are buckets
/// of two and of three gradients.
using BucketEnds = std::vector<std::uint32_t>;

/// How long a step takes whose all-reduces run in order on one stream beside the backward pass, by
/// dPRO's recursion (Hu et al., MLSys'22): q_end[n] = max(q_end[n-1], p_end[n]) + t(m[n]), where
/// p_end is when the last gradient of bucket n is ready and t what the collective costs on an idle
/// network; beside the backward pass at the pace of slowed ports (Overlap::communication_slowdown).
/// That the pass is slower, too, is left to the simulation.
class BucketRecursion {
 public:
  BucketRecursion(const Workload& workload, const Cluster& cluster);

  std::uint32_t gradients() const { return static_cast<std::uint32_t>(ready_.size()); }
  /// When the all-reduce of gradients first .. last (last not included) ends that may begin at
  /// `start` or when they are ready.
  Seconds reduced(Seconds start, std::uint32_t first, std::uint32_t last) const;
  Seconds ready(std::uint32_t gradient) const { return ready_[gradient]; }
  Bytes size(std::uint32_t first, std::uint32_t last) const { return sums_[last] - sums_[first]; }

  /// From the end of the forward pass to the last reduction's end, or the backward pass's.
  Seconds end_of(const BucketEnds& buckets) const;

  /// The buckets that end first, of all: the way to reduce the first k gradients that ends first is
  /// best for all that follows, so that one pass over pairs of ends finds them. Quadratic.
  BucketEnds best() const;

 private:
  Seconds cost(Bytes size, const Cluster& cluster) const;

  const Cluster& cluster_;
  Cluster beside_;              // Its ports as computing GPUs have them.
  Seconds startup_{};           // Of an all-reduce, before anything moves.
  Seconds passed_{};            // The backward pass.
  std::vector<Seconds> ready_;  // By gradient: when its layer's backward pass has ended.
  std::vector<Bytes> sums_;     // Of the gradients before.
};

}  // namespace stepcast
