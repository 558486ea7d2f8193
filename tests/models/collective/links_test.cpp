#include "models/collective/links.hpp"

#include <gtest/gtest.h>

#include "tests/models/collective/clusters.hpp"

namespace stepcast {
namespace {

// A message of 4 MB through a NIC of 1 GB/s takes 4 ms and 20 us; two of them share it.
const std::vector<Message> kOne{{.from = 0, .to = 2, .size = Bytes{4e6}}};
const std::vector<Message> kTwo{{.from = 0, .to = 2, .size = Bytes{4e6}},
                                {.from = 1, .to = 3, .size = Bytes{4e6}}};

// Counters go from one to the next: those of another cluster, and while they are in use.
TEST(LinkLoads, CountFromZeroWhateverWasCountedBefore) {
  const Cluster small = slow_network(2, 2), large = slow_network(64, 2);
  for (int i = 0; i < 3; ++i) {
    LinkLoads first(large);
    EXPECT_EQ(first.link_count(), 2U * 128 + 2 * 64);
    LinkLoads second(small);
    EXPECT_EQ(second.link_count(), 2U * 4 + 2 * 2);
    LinkLoads moved(std::move(first));
    for (LinkLoads* loads : {&moved, &second}) {
      EXPECT_NEAR(loads->round_time(kOne).value, 4.02e-3, 1e-9);
      EXPECT_NEAR(loads->round_time(kTwo).value, 8.02e-3, 1e-9);
      EXPECT_NEAR(loads->transfer_time(kTwo).value, 8e-3, 1e-9);
    }
  }
}

}  // namespace
}  // namespace stepcast
