#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/network/cluster_links.hpp"

namespace stepcast {

/// A flow that starts, or goes on, beside others.
struct SharedFlow {
  PortFlow flow;
  LinkPath path;
  Bytes left{};
  std::uint32_t tag = 0;
};

/// Which flows that start together get the same rate as long as they move: those with as much to
/// move, of which each crosses links of the same classes, where links of a class cross as many
/// flows of every class. That is an equitable partition of flows and links, so that rates that are
/// max-min fair among one flow and one link of each class, counted as often as they are there, are
/// so among all. Colour refinement finds it: each round mixes into the colour of a flow those of
/// its links, and into that of a link those of its flows, until no class is split any more.
class FlowClasses {
 public:
  explicit FlowClasses(std::size_t links) : colour_(links), traffic_(links), is_met_(links) {}

  /// `colours` tells links apart from the beginning, by number. O(n log n) for n flows, and at most
  /// a few rounds: where these are not enough, each flow is a class, as where not `fold`.
  void find(std::span<const SharedFlow> flows, std::span<const std::uint64_t> colours, bool fold);

  std::size_t count() const { return ends_.size(); }

  /// Numbers of the flows of a class, ascending; classes come in the order of their first flows.
  std::span<const std::uint32_t> at(std::size_t id) const;

  /// All that the flows cross, each once.
  std::span<const LinkId> links() const { return met_; }

  /// The same for links that carry as many flows of every class.
  std::uint64_t traffic(LinkId link) const { return traffic_[link]; }

 private:
  struct Coloured {
    std::uint64_t colour = 0;
    std::uint32_t flow = 0;
  };

  void meet_links(std::span<const SharedFlow> flows, std::span<const std::uint64_t> colours);
  bool refine(std::span<const SharedFlow> flows);
  void sum_traffic(std::span<const SharedFlow> flows);
  std::size_t count_colours();
  void gather();

  std::vector<std::uint64_t> flow_colour_;
  std::vector<std::uint64_t> sorted_;
  std::vector<std::uint64_t> colour_;   // by link
  std::vector<std::uint64_t> traffic_;  // by link
  std::vector<char> is_met_;            // by link
  std::vector<LinkId> met_;
  std::vector<Coloured> by_colour_;
  std::vector<std::uint32_t> members_;  // of all classes
  std::vector<std::uint32_t> ends_;     // in members_, by class
};

}  // namespace stepcast
