#include "sim/cli/derive/derive_cluster.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/derived_cluster.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

std::optional<Adapters> adapters_of(const std::string& text) try {
  return text.empty() ? std::nullopt : std::optional(parse_adapters(text));
} catch (const InputError& error) {
  throw InputError(fmt::format("--nic: {}", error.what()));
}

}  // namespace

std::vector<CommandOption> ClusterDerivation::options() {
  return {{"--from", "C", &from_,
           "cluster: the nearest one, name (see stepcast list clusters) or file"},
          {"--nodes", "N", &nodes_, "cluster: nodes"},
          {"--gpus-per-node", "N", &gpus_per_node_, "cluster: GPUs of a node"},
          {"--nic", "NxBANDWIDTH", &adapters_, "cluster: adapters of a node, e.g. 8x400Gbps"},
          {"--nic-startup", "TIME", &nic_startup_, "cluster: start-up of a message between nodes"},
          {"--intra-node", "BANDWIDTH", &intra_node_, "cluster: of a GPU's port in its node"},
          {"--device-memory", "BYTES", &device_memory_, "cluster: memory of a GPU"}};
}

std::string ClusterDerivation::first_given() const {
  return !from_.empty()       ? "--from"
         : nodes_             ? "--nodes"
         : gpus_per_node_     ? "--gpus-per-node"
         : !adapters_.empty() ? "--nic"
         : nic_startup_       ? "--nic-startup"
         : intra_node_        ? "--intra-node"
         : device_memory_     ? "--device-memory"
                              : "";
}

std::string ClusterDerivation::file_text(const std::string& name, const std::string& device) const {
  if (from_.empty())
    throw InputError(
        "derive cluster: expected --from with the nearest cluster (see stepcast list clusters)");
  const std::optional<Adapters> adapters = adapters_of(adapters_);
  ClusterChange change{.name = name,
                       .device = device,
                       .nodes = nodes_,
                       .gpus_per_node = gpus_per_node_,
                       .nics = {},
                       .nic_bandwidth = {},
                       .nic_startup = nic_startup_,
                       .intra_node_bandwidth = intra_node_,
                       .device_memory = device_memory_};
  if (adapters) {
    change.nics = adapters->count;
    change.nic_bandwidth = adapters->bandwidth;
  }
  return to_json_text(derived_cluster(load_cluster(from_), change));
}

}  // namespace stepcast
