#include "models/base/components.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(ComponentsTest, MembersAreAloneUntilTheyAreJoined) {
  const Components sets(3);
  for (std::uint32_t member = 0; member < 3; ++member)
    EXPECT_EQ(sets.of(member), member);
}

// 4-2 and 1-3, then 3-4: all but 0 go by 1.
TEST(ComponentsTest, ASetGoesByItsLeastMember) {
  Components sets(5);
  sets.join(4, 2);
  sets.join(1, 3);
  EXPECT_EQ(sets.of(4), 2U);
  EXPECT_EQ(sets.of(3), 1U);
  sets.join(3, 4);
  const Components& same = sets;
  for (std::uint32_t member = 1; member < 5; ++member) {
    EXPECT_EQ(same.of(member), 1U);
    EXPECT_EQ(sets.of(member), 1U);
  }
  EXPECT_EQ(sets.of(0), 0U);
}

TEST(ComponentsTest, ListsAreJoinedWhole) {
  Components sets(6);
  sets.join(std::vector<std::uint32_t>{5, 3, 1});
  sets.join(std::vector<std::uint32_t>{});
  EXPECT_EQ(sets.of(3), 1U);
  EXPECT_EQ(sets.of(5), 1U);
  EXPECT_EQ(sets.of(4), 4U);
}

}  // namespace
}  // namespace stepcast
