#pragma once

#include <string_view>
#include <vector>

#include "sim/study/goodput/node_faults.hpp"

namespace stepcast {

/// What fails, each by itself: nodes, switches that take a group of nodes down with them, and links
/// of nodes that keep a share of their bandwidth (0: the node is cut off).
struct FaultSources {
  struct Source {
    NodeFaults faults{};         ///< Of one node, switch or link.
    std::uint32_t together = 1;  ///< Nodes that go down at once, neighbours by number.
    double link_share = 0;       ///< Of a link; 0: nodes are down.
  };
  std::vector<Source> sources;

  bool slows_links() const;
};

/// Adds what a user wrote:
///   node:mtbf=220d,frailty=0.56,repair=24h,sigma=2.4   of a node; repair: median, log-normal
///   switch:nodes=16,mtbf=3000d,repair=4h
///   link:mtbf=1000d,share=0.5,repair=6h
/// All but mtbf, nodes and share may be left out: alike nodes, replaced at once, sigma 0. Throws
/// InputError that says what was expected.
void add_fault_source(FaultSources& all, std::string_view text);

/// The outages of nodes 0 .. nodes - 1 by begin, of all sources. A node more leaves those of others
/// alone, but for its switch.
std::vector<Outage> draw_outages(const FaultSources& all, std::uint32_t nodes, Seconds length,
                                 std::uint64_t seed);

/// Between two faults that stop one of so many nodes, on average.
Seconds mtbf_of(const FaultSources& all, std::uint32_t nodes);

}  // namespace stepcast
