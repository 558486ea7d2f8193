#pragma once

#include "models/network/cluster.hpp"

namespace stepcast {

/// GPU ports of 4 GB/s and 5 us, NICs of 1 GB/s and 20 us.
inline Cluster slow_network(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  Cluster cluster;
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus_per_node;
  cluster.intra_node = {{4e9}, {5e-6}};
  cluster.nic = {{1e9}, {20e-6}};
  return cluster;
}

/// NICs faster than the 4 GB/s ports, as 100 Gb/s adapters behind PCIe are.
inline Cluster fast_network(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  Cluster cluster = slow_network(nodes, gpus_per_node);
  cluster.nic = {{12.5e9}, {14e-6}};
  return cluster;
}

/// Racks of two nodes behind uplinks of half the bandwidth of their NICs, with 30 us of their own.
inline Cluster racks_of_two(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  Cluster cluster = slow_network(nodes, gpus_per_node);
  cluster.rack = RackLevel{2, 2.0, {30e-6}};
  return cluster;
}

}  // namespace stepcast
