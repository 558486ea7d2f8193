#include "tests/fuzz/support/json_mutator.hpp"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace stepcast::fuzz
