#include "models/schedule/sparse/omgs_groups.hpp"

#include <gtest/gtest.h>

namespace stepcast::sparse {
namespace {

/// Selection of x elements takes 0.1 x seconds, communication `startup` + x.
OmgsCosts linear_costs(double startup) {
  return {.selection = [](double elements) { return Seconds{0.1 * elements}; },
          .communication = [=](double elements) { return Seconds{startup + elements}; }};
}

using Groups = std::vector<std::size_t>;

// Layers of 1 s and 1 element. The first is selected at 1.1 s; waiting for the second costs 1 s.
TEST(OmgsGroups, MergeWhileAStartupSavesMoreThanTheNextLayerTakes) {
  const std::vector<OmgsLayer> layers(3, {.backward = {1}, .elements = 1});
  EXPECT_EQ(omgs_groups(layers, linear_costs(2)), (Groups{3}));
}

// Start-up 0.5 s. 1: selected at 1.1, wait 1 > 0.5, sent until 2.6. 2: selected at 2.2, could be
// sent at 2.6, wait 1 - 0.4 > 0.5, sent until 4.1. 3: selected at 3.3, wait 1 - 0.8 < 0.5: joins 4.
TEST(OmgsGroups, MergeWhatWouldWaitForTheNetworkAnyway) {
  const std::vector<OmgsLayer> layers(4, {.backward = {1}, .elements = 1});
  EXPECT_EQ(omgs_groups(layers, linear_costs(0.5)), (Groups{1, 1, 2}));
}

// Selecting 2 elements at once takes 4 s, one by one 1 s each: 2 s more than a start-up of 1.5 s
// saves.
TEST(OmgsGroups, KeepApartWhatIsDearerToSelectTogether) {
  const std::vector<OmgsLayer> layers(2, {.backward = {}, .elements = 1});
  const auto groups_with = [&](double startup) {
    return omgs_groups(layers, {.selection = [](double x) { return Seconds{x * x}; },
                                .communication = [=](double) { return Seconds{startup}; }});
  };
  EXPECT_EQ(groups_with(1.5), (Groups{1, 1}));
  EXPECT_EQ(groups_with(2.5), (Groups{2}));
}

TEST(OmgsGroups, OfNoLayersAreNone) {
  EXPECT_TRUE(omgs_groups({}, linear_costs(1)).empty());
}

}  // namespace
}  // namespace stepcast::sparse
