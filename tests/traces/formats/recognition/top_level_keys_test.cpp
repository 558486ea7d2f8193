#include "traces/formats/recognition/top_level_keys.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::vector<std::string> keys_of(std::string_view text) {
  const auto source = open_text(text);
  TopLevelKeys keys(*source);
  std::vector<std::string> found;
  while (auto key = keys.next())
    found.push_back(*key);
  return found;
}

using Keys = std::vector<std::string>;

TEST(TopLevelKeys, AreThoseOfTheOuterObjectOnly) {
  EXPECT_EQ(
      keys_of(R"( {"a": {"x": [1, {"y": 2}]}, "b": [{"z": "u,\"v\""}, 3], "c": "d", "e": 1})"),
      (Keys{"a", "b", "c", "e"}));
}

TEST(TopLevelKeys, BracketsInTextsAreNone) {
  EXPECT_EQ(keys_of(R"({"a": "}]{[\\", "b": "\"}", "c": 1})"), (Keys{"a", "b", "c"}));
}

TEST(TopLevelKeys, OfWhatIsNoObjectAreNone) {
  EXPECT_EQ(keys_of(R"([{"a": 1}])"), Keys{});
  EXPECT_EQ(keys_of("a text, \"b\": 1"), Keys{});
  EXPECT_EQ(keys_of("}"), Keys{});
  EXPECT_EQ(keys_of(""), Keys{});
}

TEST(TopLevelKeys, OfATextThatIsCutOffAreThoseBeforeTheCut) {
  EXPECT_EQ(keys_of(R"({"a": 1, "b": [{"c)"), (Keys{"a", "b"}));
}

}  // namespace
}  // namespace stepcast
