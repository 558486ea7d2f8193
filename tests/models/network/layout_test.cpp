#include "models/network/layout.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using Ranks = std::vector<std::vector<Rank>>;

Ranks ranks_of(const Team& team) {
  Ranks ranks;
  for (const Group& group : team.groups)
    ranks.push_back(group.ranks);
  return ranks;
}

// rank = tensor + 2 (data + 2 pipeline): 12 ranks on 3 nodes of 4.
const Cluster kCluster = examples::plain_cluster(3, 4);
const Layout kLayout(kCluster, {{Axis::Tensor, 2}, {Axis::Data, 2}, {Axis::Pipeline, 3}});

TEST(Layout, CoordinatesCountTheFirstAxisFastest) {
  EXPECT_EQ(kLayout.coordinate(7, Axis::Tensor), 1U);
  EXPECT_EQ(kLayout.coordinate(7, Axis::Data), 1U);
  EXPECT_EQ(kLayout.coordinate(7, Axis::Pipeline), 1U);
  EXPECT_EQ(kLayout.coordinate(7, Axis::Node), 1U);
  EXPECT_EQ(kLayout.coordinate(7, Axis::Local), 3U);
  EXPECT_EQ(kLayout.coordinate(7, Axis::Expert), 0U);
}

TEST(Layout, RanksThatDifferOnOneAxisMeet) {
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Tensor).at(Axis::Pipeline, 1)), (Ranks{{4, 5}, {6, 7}}));
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Data).at(Axis::Pipeline, 2)), (Ranks{{8, 10}, {9, 11}}));
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Pipeline).at(Axis::Tensor, 0)),
            (Ranks{{0, 4, 8}, {2, 6, 10}}));
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Tensor, Axis::Data).at(Axis::Pipeline, 0)),
            (Ranks{{0, 1, 2, 3}}));
}

TEST(Layout, NodesAreAnAxisToo) {
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Local).at(Axis::Node, 2)), (Ranks{{8, 9, 10, 11}}));
  EXPECT_EQ(ranks_of(kLayout.along(Axis::Node).at(Axis::Local, 1)), (Ranks{{1, 5, 9}}));
}

TEST(Layout, WorldIsOneGroupAndEachIsOneForEveryRank) {
  EXPECT_EQ(ranks_of(kLayout.world()).size(), 1U);
  EXPECT_EQ(ranks_of(kLayout.world()).front().size(), 12U);
  EXPECT_EQ(ranks_of(kLayout.each()).size(), 12U);
}

TEST(Layout, AShiftSendsFromEachRankToTheOneFurtherOn) {
  const TeamChoice ahead = kLayout.shift(Axis::Pipeline, 1);
  EXPECT_EQ(ranks_of(ahead.at(Axis::Pipeline, 1).at(Axis::Data, 0)), (Ranks{{4, 8}, {5, 9}}));
  EXPECT_THROW((void)Team(ahead.at(Axis::Data, 0)), InputError);  // rank 4 would be in two pairs
  const TeamChoice back = kLayout.shift(Axis::Pipeline, -1);
  EXPECT_EQ(ranks_of(back.at(Axis::Pipeline, 1).at(Axis::Data, 0)), (Ranks{{4, 0}, {5, 1}}));
}

TEST(Layout, AShiftBeyondTheEndMeetsNobody) {
  EXPECT_THROW((void)Team(kLayout.shift(Axis::Pipeline, 1).at(Axis::Pipeline, 2)), InputError);
}

TEST(Layout, SizesMultiplyToTheRanks) {
  EXPECT_THROW(Layout(kCluster, {{Axis::Tensor, 5}}), InputError);
  EXPECT_THROW(Layout(kCluster, {{Axis::Tensor, 12}, {Axis::Tensor, 1}}), InputError);
  EXPECT_THROW(Layout(kCluster, {{Axis::Node, 12}}), InputError);
  EXPECT_THROW(kLayout.along(Axis::Tensor).at(Axis::Data, 2), InputError);
  EXPECT_THROW(kLayout.along(Axis::Tensor).at(Axis::Tensor, 0), InputError);
}

TEST(Team, GroupsAreDisjointAndOfOneSize) {
  EXPECT_THROW(team_of({}), InputError);
  EXPECT_THROW(team_of({{{0, 1}}, {{2}}}), InputError);
  EXPECT_THROW(team_of({{{0, 1}}, {{1, 2}}}), InputError);
  EXPECT_EQ(find_group(team_of({{{3, 1}}, {{0, 2}}}), 2), 1U);
  EXPECT_EQ(find_group(team_of({{{3, 1}}}), 2), std::nullopt);
}

}  // namespace
}  // namespace stepcast
