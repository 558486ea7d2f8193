#include "models/schedule/merge_plan.hpp"

#include <gtest/gtest.h>

#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

constexpr LinearCost kCost{.startup = {1}, .bandwidth = {1}};  // 1 s + 1 s a byte
constexpr std::uint64_t kMany = 1'000'000;
using Groups = std::vector<std::size_t>;

Groups groups_of(const std::vector<Mergeable>& gradients, MergeRule rule) {
  return merged_groups(gradients, kCost, rule);
}

// The first one takes 0 .. 3 and the second is ready at 10.
TEST(MergePlan, AGradientThatIsThroughBeforeTheNextIsReadyGoesAlone) {
  EXPECT_EQ(groups_of({{{0}, kMany, {2}}, {{10}, kMany, {2}}}, MergeRule::StartupSaved),
            (Groups{1, 1}));
  // Through exactly when the next is ready: nothing to save either.
  EXPECT_EQ(groups_of({{{0}, kMany, {2}}, {{3}, kMany, {2}}}, MergeRule::StartupSaved),
            (Groups{1, 1}));
}

// Waiting from 0 to 0.5 saves a start-up of 1.
TEST(MergePlan, AWaitShorterThanAStartupPays) {
  const std::vector<Mergeable> gradients{{{0}, kMany, {2}}, {{0.5}, kMany, {2}}};
  EXPECT_EQ(groups_of(gradients, MergeRule::StartupSaved), (Groups{2}));
  EXPECT_EQ(groups_of(gradients, MergeRule::NetworkIsBusy), (Groups{1, 1}));
}

// The first takes 0 .. 6; holding it back until 2 would cost 2 and save 1. The second could start
// at 6 only, when the third is ready since 4: they join for nothing. Together they take 6 .. 17,
// past the fourth, ready at 16, which comes 10 s after their start and not below 1: it goes alone.
TEST(MergePlan, GradientsThatWaitForTheNetworkJoin) {
  const std::vector<Mergeable> gradients{
      {{0}, kMany, {5}}, {{2}, kMany, {5}}, {{4}, kMany, {5}}, {{16}, kMany, {5}}};
  EXPECT_EQ(groups_of(gradients, MergeRule::StartupSaved), (Groups{1, 2, 1}));
  EXPECT_EQ(groups_of(gradients, MergeRule::NetworkIsBusy), (Groups{1, 2, 1}));
}

TEST(MergePlan, SmallGradientsAlwaysJoinUntilTheyAreEnough) {
  // 4,000 + 4,192 elements are 8,192: no longer few.
  EXPECT_EQ(groups_of({{{0}, 4'000, {0.1}}, {{100}, 4'192, {0.1}}, {{200}, kMany, {1}}},
                      MergeRule::StartupSaved),
            (Groups{2, 1}));
}

TEST(MergePlan, NothingGivesNoGroup) {
  EXPECT_EQ(groups_of({}, MergeRule::StartupSaved), Groups{});
}

// Ring on 4 nodes, 1 GB/s: 6 start-ups of 10 us and 2 * 3/4 of the bytes; and a launch of 20 us.
TEST(MergePlan, TheLineOfARingIsItsClosedForm) {
  Cluster cluster = examples::plain_cluster(4);
  cluster.nic.startup = {1e-5};
  cluster.software.collective_launch = {2e-5};
  const LinearCost cost = linear_cost_of({}, world_of(cluster), cluster);
  EXPECT_NEAR(cost.startup.value, 80e-6, 1e-12);
  EXPECT_NEAR(cost.bandwidth.value, 1e9 / 1.5, 1);
}

}  // namespace
}  // namespace stepcast
