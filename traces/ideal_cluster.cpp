#include "traces/ideal_cluster.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/network/free_software.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {

using namespace literals;

Cluster ideal_cluster(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  Cluster cluster;
  cluster.name = fmt::format("ideal-{}x{}", nodes, gpus_per_node);
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus_per_node;
  cluster.intra_node.bandwidth = 800.0_Gbps;
  cluster.nic.bandwidth = 100.0_Gbps;
  cluster.software = without_costs(cluster.software);
  cluster.device = {};  // Unnamed: it takes the layer times of any device.
  cluster.provenance.source = "an ideal network: bandwidth without start-up or software cost";
  return cluster;
}

std::optional<Cluster> find_ideal_cluster(std::string_view name) {
  constexpr std::string_view kPrefix = "ideal-";
  if (!name.starts_with(kPrefix))
    return std::nullopt;
  const std::string_view size = name.substr(kPrefix.size());
  const std::size_t cross = size.find('x');
  try {
    if (cross == std::string_view::npos)
      throw InputError("expected a size such as \"ideal-16x4\"");
    const Cluster cluster = ideal_cluster(parse_count(size.substr(0, cross), 1),
                                          parse_count(size.substr(cross + 1), 1));
    check_cluster(cluster);
    return cluster;
  } catch (const InputError& error) {
    throw InputError(fmt::format("cluster {}: {}", in_quotes(name), error.what()));
  }
}

}  // namespace stepcast
