#include "sim/engine/network/link_classes.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(LinkClasses, LinksOfWhichTheSameIsAskedStayTogether) {
  LinkClasses classes(6);
  const LinkShare ring[] = {{0, 0.5}, {2, 0.5}, {4, 1}};
  EXPECT_EQ(classes.refine(ring), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(classes.of(0), classes.of(2));
  EXPECT_NE(classes.of(0), classes.of(4));
  EXPECT_EQ(classes.of(1), classes.of(5));
  EXPECT_EQ(classes.count(), 3U);
}

TEST(LinkClasses, WhatAsksTheSameOfWholeClassesSplitsNone) {
  LinkClasses classes(4);
  const LinkShare pair[] = {{0, 1}, {1, 1}};
  classes.refine(pair);
  const LinkShare all[] = {{3, 0.25}, {2, 0.25}, {1, 0.5}, {0, 0.5}};
  EXPECT_TRUE(classes.refine(all).empty());
  EXPECT_TRUE(classes.refine(pair).empty());
}

TEST(LinkClasses, NewOnesSayWhatTheyWereSplitFrom) {
  LinkClasses classes(3);
  const LinkShare pair[] = {{0, 1}, {1, 1}};
  classes.refine(pair);
  const std::uint32_t old = classes.of(1);
  const LinkShare one[] = {{1, 0.5}};
  EXPECT_EQ(classes.refine(one), std::vector<std::uint32_t>{old});
  EXPECT_NE(classes.of(1), classes.of(0));
}

TEST(ClassSet, MeetsAndTakesWhatIsInBoth) {
  ClassSet all, tight, reached;
  for (ClassSet* each : {&all, &tight, &reached})
    each->resize(130);
  for (const std::uint32_t id : {0U, 63U, 64U, 129U})
    all.put(id);
  tight.set(129, true);
  tight.set(1, true);
  EXPECT_FALSE(all.meets(reached));
  EXPECT_TRUE(reached.put_common(all, tight));
  EXPECT_FALSE(reached.put_common(all, tight)) << "nothing new";
  EXPECT_TRUE(reached.has(129) && !reached.has(1) && !reached.has(64));
  EXPECT_TRUE(all.meets(reached));
  tight.set(129, false);
  EXPECT_TRUE(!tight.has(129) && tight.has(1));
  reached.clear();
  EXPECT_FALSE(all.meets(reached));
}

}  // namespace
}  // namespace stepcast
