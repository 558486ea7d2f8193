#include "traces/json/json_text.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(JsonStart, ObjectsAndListsOfObjectsOrTextsBeginAsJson) {
  EXPECT_EQ(json_start(" \n{ \"a\": 1}"), '{');
  EXPECT_EQ(json_start("{}"), '{');
  EXPECT_EQ(json_start("[\n {\"ph\": \"X\"}"), '[');
  EXPECT_EQ(json_start("[\"a\"]"), '[');
  EXPECT_EQ(json_start("[]"), '[');
  EXPECT_EQ(json_start("["), '[');  // Of what is cut off nothing else is known.
}

TEST(JsonStart, LogsThatBeginWithABracketAreNone) {
  for (const char* text :
       {"[2025-06-11 08:15:01] iteration 10", "[rank0]: loss", "[INFO] start", "[[57238,1],0] ORTE",
        "[1,0]<stdout>:# nThread", "{0} {1}", "", " ", "loss 3.1 [\"a\"]"})
    EXPECT_EQ(json_start(text), '\0') << text;
}

}  // namespace
}  // namespace stepcast
