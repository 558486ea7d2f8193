#include "models/network/adapters.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using namespace literals;

Cluster cluster_with(std::uint32_t adapters, BytesPerSecond each) {
  Cluster cluster{.name = "made", .nodes = 2, .gpus_per_node = 8};
  cluster.nics = adapters;
  cluster.nic.bandwidth = each;
  return cluster;
}

TEST(Adapters, AreToldOneByOneAndInTotal) {
  EXPECT_EQ(adapters_of(cluster_with(1, 25.0_Gbps)), "25 Gb/s");
  EXPECT_EQ(adapters_in_words(cluster_with(1, 25.0_Gbps)), "25 Gb/s");
  EXPECT_EQ(adapters_of(cluster_with(8, 25.0_Gbps)), "8 x 25 Gb/s");
  EXPECT_EQ(adapters_in_words(cluster_with(8, 25.0_Gbps)), "8 x 25 Gb/s, 200 Gb/s in total");
  EXPECT_EQ(bits_per_second(BytesPerSecond{111.1e6}), "888.8 Mb/s");
}

// 8 GPUs that fill 1 Gb/s each fill 8 of the 200 Gb/s.
TEST(Adapters, WhatGpusFillIsToldToo) {
  Cluster cluster = cluster_with(8, 25.0_Gbps);
  cluster.nic_per_gpu = 1.0_Gbps;
  EXPECT_EQ(adapters_in_words(cluster),
            "8 x 25 Gb/s, 200 Gb/s in total, of which its GPUs fill 8 Gb/s");
}

}  // namespace
}  // namespace stepcast
