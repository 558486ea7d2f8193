#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/fuzz/support/json_mutator.hpp"
#include "tests/fuzz/support/line_mutator.hpp"

namespace stepcast::fuzz {
namespace {

TEST(JsonMutator, WhatComesOutIsJsonAgainAndTheSameForASeed) {
  const std::string text = R"({"name": "tiny", "layers": [{"forward_s": 0.01}, {"forward_s": 2}]})";
  std::set<std::string> kinds;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const std::string mutated = mutated_json(text, seed);
    EXPECT_FALSE(nlohmann::json::parse(mutated, nullptr, false).is_discarded()) << mutated;
    EXPECT_EQ(mutated, mutated_json(text, seed));
    kinds.insert(mutated);
  }
  EXPECT_GT(kinds.size(), 100U);
}

TEST(JsonMutator, LeavesOtherTextsAlone) {
  EXPECT_EQ(mutated_json("{\"a\": ", 7), "{\"a\": ");
}

TEST(JsonMutator, LeavesTextsDeeperThanItsOwnStackAlone) {
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');
  EXPECT_EQ(mutated_json(deep, 4), deep);
}

TEST(LineMutator, ChangesOneThingAndTheSameForASeed) {
  const std::string text = "wfbp\nbatch=8\ncluster.nodes=2\n";
  const std::vector<std::string> vocabulary{"dear"};
  std::set<std::string> kinds;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const std::string mutated = mutated_lines(text, seed, vocabulary);
    EXPECT_EQ(mutated, mutated_lines(text, seed, vocabulary));
    kinds.insert(mutated);
  }
  EXPECT_TRUE(kinds.contains("wfbp\nbatch=1e308\ncluster.nodes=2\n"));
  EXPECT_TRUE(kinds.contains("dear\nbatch=8\ncluster.nodes=2\n"));
  EXPECT_TRUE(kinds.contains("wfbp\nbatch=2\ncluster.nodes=2\n"));  // a value of another's
  EXPECT_TRUE(kinds.contains("batch=8\ncluster.nodes=2\n"));
}

TEST(LineMutator, KnowsSchedulesAndTheirOptions) {
  const std::vector<std::string>& words = vocabulary_of_program();
  for (const char* word : {"dear", "hop", "1f1b", "placement=remote", "recompute=full"})
    EXPECT_NE(std::ranges::find(words, word), words.end()) << word;
}

}  // namespace
}  // namespace stepcast::fuzz
