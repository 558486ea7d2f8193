#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/collective/links.hpp"
#include "models/graph/colour_refinement.hpp"

namespace stepcast {

/// What groups that communicate by closed form want of the links, as vertices between the two.
class LinkDemands {
 public:
  explicit LinkDemands(const Cluster& cluster);

  /// Connects the group `vertex` to all links that the phases of its collective cross; `colour`
  /// tells the collective.
  void add(ColouredGraph& graph, std::uint32_t vertex, std::uint64_t colour,
           std::span<const Phase> phases);

 private:
  LinkLoads loads_;
  std::vector<std::uint32_t> links_;  // their vertices; kNone: nobody has crossed it yet
};

}  // namespace stepcast
