#pragma once
// Small workloads and clusters whose results can be worked out by hand.

#include <string>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"

namespace stepcast::examples {

/// `count` equal layers with one fp32 tensor each.
inline Workload uniform_workload(std::uint32_t count, Seconds forward, Seconds backward,
                                 std::uint64_t elements) {
  Workload workload{.name = "uniform", .model = "uniform", .device = "test", .batch = 1};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = std::string("layer").append(std::to_string(i));
    workload.layers.push_back(
        {.name = name,
         .kind = "Linear",
         .forward = forward,
         .backward = backward,
         .parameters = {{.name = "weight", .elements = elements, .matrix = true}}});
  }
  return workload;
}

/// One GPU a node, NICs of 1 GB/s, fast ports, no start-up and no software cost.
inline Cluster plain_cluster(std::uint32_t nodes, std::uint32_t gpus_per_node = 1) {
  Cluster cluster{.name = "plain", .nodes = nodes, .gpus_per_node = gpus_per_node};
  cluster.intra_node.bandwidth = BytesPerSecond{1e10};
  cluster.nic.bandwidth = BytesPerSecond{1e9};
  cluster.software = {};
  cluster.software.horovod_cycle = Seconds{1e-3};
  return cluster;
}

}  // namespace stepcast::examples
