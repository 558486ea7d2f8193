#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/collective/collective.hpp"

namespace stepcast {

/// Nodes that carry the same flows as one, and each of their GPUs as one.
class FoldedNodes {
 public:
  /// `role_of_node`: see Roles::of_node; empty: every node is itself.
  FoldedNodes(const Cluster& cluster, std::vector<std::uint32_t> role_of_node);

  /// One node of one GPU for each role, whose NIC has that GPU's share.
  const Cluster& cluster() const { return folded_ ? *folded_ : cluster_; }

  bool is_folded() const { return folded_.has_value(); }

  /// The GPU of cluster() that stands for this one.
  Rank port_of(Rank rank) const { return folded_ ? role_of_node_[node_of(cluster_, rank)] : rank; }

  /// Bytes between two of these nodes, which stand for different nodes if it leaves its own.
  struct Flow {
    Rank from = 0;
    Rank to = 0;
    bool leaves_node = false;
    Bytes size{};
  };
  /// The messages of all alike groups, once for each that one GPU of a role sends.
  std::vector<Flow> folded(const std::vector<Message>& messages) const;

 private:
  std::vector<std::uint32_t> role_of_node_;
  std::vector<double> gpus_of_role_;
  const Cluster& cluster_;
  std::optional<Cluster> folded_;
};

}  // namespace stepcast
