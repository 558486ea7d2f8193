#include "models/schedule/passes.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// 27 TB of gradients in pieces of 16 MB are 1.7 million messages.
TEST(Passes, MorePiecesThanCanBeSimulatedAreRefusedBeforeTheyAreMade) {
  const Gradient gradient{.layer = 0, .name = "experts", .size = Bytes{27e12}, .elements = 1};
  EXPECT_THROW(partitioned({gradient}, Bytes{16e6}), InputError);
  EXPECT_EQ(partitioned({gradient}, Bytes{1e9}).size(), 27'000U);
}

}  // namespace
}  // namespace stepcast
