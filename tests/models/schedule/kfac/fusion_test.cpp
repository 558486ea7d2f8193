#include "models/schedule/kfac/fusion.hpp"

#include <gtest/gtest.h>

namespace stepcast::kfac {
namespace {

using Groups = std::vector<std::uint32_t>;

// Start-up 2 s, 1 s a byte.
constexpr LinearCost kCost{Seconds{2}, BytesPerSecond{1}};

Groups groups_of(std::vector<FactorReady> tensors) {
  return fuse_optimally(tensors, kCost);
}

// Ready at 1 and done at 1 + 2 + 1 = 4, before the next is ready at 5.
TEST(FuseOptimally, KeepsApartWhatIsDoneBeforeTheNextIsReady) {
  EXPECT_EQ(groups_of({{Seconds{1}, Bytes{1}}, {Seconds{4}, Bytes{1}}}), (Groups{0, 1}));
}

// The next is ready 1 s after this could start: less than the start-up that merging saves.
TEST(FuseOptimally, MergesWhatWouldStartLessThanAStartUpBefore) {
  EXPECT_EQ(groups_of({{Seconds{1}, Bytes{1}}, {Seconds{1}, Bytes{1}}}), (Groups{0, 0}));
}

// The next is ready 3 s after the start, before the end at 1 + 2 + 5, but more than a start-up
// later.
TEST(FuseOptimally, StartsEarlyWhatWouldWaitLongerThanAStartUp) {
  EXPECT_EQ(groups_of({{Seconds{1}, Bytes{5}}, {Seconds{3}, Bytes{1}}}), (Groups{0, 1}));
}

// The first is sent from 1 to 13. The second, ready at 4, could start at 13 only, and the third is
// ready at 6: they merge. The merged one could start at 13, the fourth is ready at 20, after its
// end at 13 + 2 + 2 = 17.
TEST(FuseOptimally, MergesWhatTheBusyChannelHoldsUp) {
  EXPECT_EQ(groups_of({{Seconds{1}, Bytes{10}},
                       {Seconds{3}, Bytes{1}},
                       {Seconds{2}, Bytes{1}},
                       {Seconds{14}, Bytes{1}}}),
            (Groups{0, 1, 1, 2}));
}

TEST(FuseOptimally, OneTensorIsOneGroupAndNoneIsNone) {
  EXPECT_EQ(groups_of({{Seconds{1}, Bytes{1}}}), (Groups{0}));
  EXPECT_EQ(groups_of({}), Groups{});
}

}  // namespace
}  // namespace stepcast::kfac
