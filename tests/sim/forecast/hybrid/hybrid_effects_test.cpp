#include "sim/forecast/hybrid/hybrid_effects.hpp"

#include <gtest/gtest.h>

#include "tests/support/hybrid_scenario.hpp"

namespace stepcast {
namespace {

std::string notes_of(ScheduleOptions options) {
  HybridScenario scenario = transformer_scenario("1f1b", std::move(options), 1);
  scenario.model = *find_transformer_model(
      "transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1024,"
      "device=a100");
  scenario.engine.fidelity = Fidelity::Analytic;
  std::string text;
  for (const Note& note : changes_without_effect(scenario, hybrid_result_of(scenario).forecast))
    text += note.text + "\n";
  return text;
}

std::string unchanged(const std::string& setting, const std::string& usual) {
  return setting + " changed nothing: iteration time and memory are the same with the default " +
         usual + "\n";
}

// One stage, no tensor groups, no copies: no messages of the kind.
TEST(HybridEffects, RatiosOfMessagesThatAreNotSentChangeNothing) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"pp_ratio", "4"}}), unchanged("pp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"pp", "4"}, {"tp_ratio", "4"}}), unchanged("tp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"tp", "8"}, {"dp_ratio", "4"}}), unchanged("dp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"pp", "4"}, {"pp_ratio", "4"}}), "");
  EXPECT_EQ(notes_of({{"tp", "4"}, {"tp_ratio", "4"}, {"dp_ratio", "4"}}), "");
}

// Sharing the optimiser's state, or another optimiser, changes what is held and not how long it
// takes.
TEST(HybridEffects, WhatChangesMemoryAloneIsNotSaidToChangeNothing) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"optimiser", "sgd"}}), "");
  EXPECT_EQ(notes_of({{"tp", "8"}, {"zero", "1"}}), unchanged("zero=1", "0"));
}

TEST(HybridEffects, LayoutAndBatchAreShownAnyway) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"cp", "1"}, {"micro_batch", "1"}, {"global_batch", "1"}}), "");
}

}  // namespace
}  // namespace stepcast
