#pragma once

#include <cstdint>
#include <optional>

#include "models/collective/nccl/tuner.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// What is known of the trees of a family of all-reduce curves, for the ranks that are asked for.
///
/// Of another library than NCCL: up to which size all-reduces go through them, the same on all
/// ranks, and that their steps grow with log2(nodes). NCCL's tuner says which rank counts take
/// trees at all, counts their steps as it expects them to start up, and beyond the ranks that were
/// measured says up to which size they reach: where they give way on fit.tree_ranks tells which
/// bandwidth NCCL takes the network for.
class Trees {
 public:
  Trees(const CurveFit& fit, std::optional<NodePath> nccl, std::uint32_t ranks);

  /// Whether the tuner says up to which size the ranks asked for take trees.
  bool is_tuned() const { return is_tuned_; }
  /// On the ranks asked for: smaller sizes go through a tree.
  Bytes below() const { return below_; }

  /// Whether as many ranks send even the smallest sizes through a tree: not those of NCCL that
  /// start a ring up sooner, as few as 8 on 2 nodes.
  bool may_be_taken_by(std::uint32_t ranks) const;
  /// What the time of a size is a line in: levels, or a start-up in microseconds.
  double steps(std::uint32_t ranks) const;

 private:
  nccl::Communicator on(std::uint32_t ranks) const;

  const CurveFit& fit_;
  std::optional<NodePath> nccl_;
  bool is_tuned_ = false;
  Bytes below_{};
};

}  // namespace stepcast
