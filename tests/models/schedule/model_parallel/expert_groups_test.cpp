#include <gtest/gtest.h>

#include "models/schedule/model_parallel/parallel_layout.hpp"

namespace stepcast {
namespace {

std::vector<std::vector<Rank>> ranks_of(const Team& team) {
  std::vector<std::vector<Rank>> ranks;
  for (const Group& group : team.groups)
    ranks.emplace_back(group.ranks.begin(), group.ranks.end());
  return ranks;
}

TEST(ExpertGroups, RanksOfTensorParallelismShareAnExpert) {
  const ParallelLayout layout{.tensor = 2, .expert = 2, .data = 4};
  EXPECT_EQ(ranks_of(expert_team(layout, 0)),
            (std::vector<std::vector<Rank>>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(ranks_of(expert_copies_team(layout, 0)),
            (std::vector<std::vector<Rank>>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(layout.expert_copies(), 2U);
}

TEST(ExpertGroups, WholeExpertsGoOverRanksOfTensorParallelismToo) {
  const ParallelLayout layout{
      .tensor = 2, .expert = 4, .expert_tensor = 1, .data = 4, .pipeline = 2};
  EXPECT_EQ(ranks_of(expert_team(layout, 0)),
            (std::vector<std::vector<Rank>>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(ranks_of(expert_copies_team(layout, 1)),
            (std::vector<std::vector<Rank>>{{8, 12}, {9, 13}, {10, 14}, {11, 15}}));
  EXPECT_EQ(describe(layout), "tp=2,pp=2,ep=4,etp=1,dp=4");
}

// Of four copies two neighbours share, in two parts.
TEST(ExpertGroups, CopiesShareInParts) {
  const ParallelLayout layout{.expert = 2, .data = 8};
  EXPECT_EQ(ranks_of(shard_team(expert_copies_team(layout, 0), 2)),
            (std::vector<std::vector<Rank>>{{0, 2}, {4, 6}, {1, 3}, {5, 7}}));
  EXPECT_EQ(ranks_of(replica_team(expert_copies_team(layout, 0), 2)),
            (std::vector<std::vector<Rank>>{{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
}

}  // namespace
}  // namespace stepcast
