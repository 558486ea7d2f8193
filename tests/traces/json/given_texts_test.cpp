#include "traces/json/given_texts.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

TEST(GivenTexts, StandForFilesWhileTheyLive) {
  {
    const GivenTexts outer({{"a.json", "1"}, {"b.json", "2"}});
    const GivenTexts inner(std::map<std::string, std::string>{{"a.json", "3"}});
    EXPECT_EQ(read_text_file("a.json"), "3");
    EXPECT_EQ(read_text_file("b.json"), "2");
  }
  EXPECT_EQ(input_error_of([] { read_text_file("a.json"); }), "a.json: not found");
}

TEST(GivenTexts, AreNamedByErrorsAsTheyWereGiven) {
  const GivenTexts given(std::map<std::string, std::string>{
      {"mine/c.json", R"({"format": "stepcast-cluster", "version": 1})"}});
  EXPECT_TRUE(input_error_of([] { load_cluster("mine/c.json"); }).starts_with("mine/c.json: "));
}

}  // namespace
}  // namespace stepcast
