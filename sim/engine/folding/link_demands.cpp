#include "sim/engine/folding/link_demands.hpp"

#include <bit>

#include "models/base/mix.hpp"
#include "models/graph/task.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kGroup = std::uint64_t{8} << 60U;  // labels of arcs
constexpr std::uint64_t kLink = std::uint64_t{9} << 60U;

}  // namespace

LinkDemands::LinkDemands(const Cluster& cluster)
    : loads_(cluster), links_(loads_.link_count(), kNone) {}

void LinkDemands::add(ColouredGraph& graph, std::uint32_t vertex, std::uint64_t colour,
                      std::span<const Phase> phases) {
  for (const auto& [link, time] : loads_.link_times(phases)) {
    const std::uint32_t demand = graph.add(mixed(colour, std::bit_cast<std::uint64_t>(time.value)));
    if (links_[link] == kNone)
      links_[link] = graph.add(kLink);
    graph.connect(vertex, demand, kGroup);
    graph.connect(demand, vertex, kGroup);
    graph.connect(demand, links_[link], kLink);
    graph.connect(links_[link], demand, kLink);
  }
}

}  // namespace stepcast
