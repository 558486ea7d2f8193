#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/graph/colour_refinement.hpp"

namespace stepcast {

/// The links of a cluster as vertices beside the messages that cross them: ports of GPUs, NICs of
/// nodes and uplinks of racks, out and in.
class CrossedLinks {
 public:
  explicit CrossedLinks(const Cluster& cluster) : cluster_(cluster) {}

  /// Connects the message `vertex` to all links that it crosses.
  void add(ColouredGraph& graph, std::uint32_t vertex, const Message& message);

  /// See Roles::of_node; `numbers`: of all vertices, by their surroundings.
  std::vector<std::uint32_t> roles_of_nodes(const std::vector<std::uint32_t>& numbers) const;

 private:
  enum class Kind : std::uint8_t { Port, Nic, Uplink };

  void cross(ColouredGraph& graph, std::uint32_t vertex, Kind kind, std::uint32_t from,
             std::uint32_t to);
  bool send_to_as_many(const std::vector<std::uint32_t>& roles) const;

  const Cluster& cluster_;
  std::map<std::tuple<Kind, bool, std::uint32_t>, std::uint32_t> links_;  // kind, inward, place
  std::set<std::pair<std::uint32_t, std::uint32_t>> between_nodes_;       // that send to each other
};

}  // namespace stepcast
