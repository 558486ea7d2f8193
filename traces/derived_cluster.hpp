#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/network/cluster.hpp"

namespace stepcast {

/// What is known of an own cluster; the rest is taken over from another one.
struct ClusterChange {
  std::string name;  ///< Empty: <device>-<nodes>x<gpus>, and the adapters if they are given.
  std::string device;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> gpus_per_node;
  std::optional<std::uint32_t> nics;
  std::optional<BytesPerSecond> nic_bandwidth;
  std::optional<Seconds> nic_startup;
  std::optional<BytesPerSecond> intra_node_bandwidth;
  std::optional<Bytes> device_memory;
};

/// `from` with the changes, its provenance saying of each field whether it was given or is assumed
/// to be as in `from`, and of each cost what the provenance of `from` says of it. Costs that `from`
/// does not give stay not given. Measured collectives stay only where nothing but the number of
/// nodes changes; memory, what overlap costs, jitter and the costs of software only where the
/// device does not. Throws InputError if there are too many GPUs.
Cluster derived_cluster(const Cluster& from, const ClusterChange& change);

/// Adapters of a node as "8x400Gbps" or "400Gbps" (one). Throws InputError.
struct Adapters {
  std::uint32_t count = 1;
  BytesPerSecond bandwidth{};
};
Adapters parse_adapters(const std::string& text);

}  // namespace stepcast
