#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/collective/collective.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/engine/network/platform.hpp"

namespace stepcast {

/// Nodes that carry the same flows as one, and GPUs of theirs as one.
class FoldedNodes {
 public:
  /// By Folding::role_of_node or by its section; with neither every node is itself.
  FoldedNodes(const Cluster& cluster, const Folding& folding);

  /// One node of one GPU for each role, or the section; a GPU that stands for its whole node has
  /// its share of the NIC.
  const Cluster& cluster() const { return folded_ ? *folded_ : cluster_; }

  bool is_folded() const { return folded_.has_value(); }

  /// The GPU of cluster() that stands for this one.
  Rank port_of(Rank rank) const;

  /// Between these GPUs: the messages of all alike groups, once for each that one GPU of a role
  /// sends.
  std::vector<PortFlow> folded(const std::vector<Message>& messages) const;

 private:
  std::vector<PortFlow> by_roles(const std::vector<Message>& messages) const;
  std::vector<PortFlow> of_section(const std::vector<Message>& messages) const;

  std::vector<std::uint32_t> role_of_node_;
  std::vector<double> gpus_of_role_;
  std::optional<NetworkSection> section_;
  const Cluster& cluster_;
  std::optional<Cluster> folded_;
};

}  // namespace stepcast
