#include "sim/forecast/hybrid/fit_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/text.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

HybridJob planned_job_of(const OwnedJob& scenario) {
  return hybrid_job_of(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
}

Bytes memory_of(const OwnedJob& scenario) {
  return fullest_stage(planned_job_of(scenario), scenario.workload);
}

std::string advice(const OwnedJob& scenario) {
  return fit_advice(scenario, planned_job_of(scenario));
}

/// Micro-batches of one sequence, 4 copies.
OwnedJob copies_of_one() {
  return transformer_scenario(
      "1f1b", {{"tp", "8"}, {"pp", "2"}, {"micro_batch", "1"}, {"global_batch", "32"}}, 8);
}

std::string told(OwnedJob scenario, const char* name, const char* value) {
  scenario.options[name] = value;
  return std::string(name) + "=" + value + " (" + format_bytes(memory_of(scenario)) + ")";
}

// It was always recompute=full, more stages and a smaller micro_batch, though none is below 1.
TEST(FitAdvice, SingleChangesThatSufficeAreNamedWithTheirMemory) {
  OwnedJob scenario = copies_of_one();
  scenario.cluster.device.memory = memory_of(scenario) * 0.9;
  EXPECT_THAT(
      advice(scenario),
      AllOf(StartsWith("What would make it fit, each alone: "),
            HasSubstr(told(scenario, "recompute", "full")), HasSubstr(told(scenario, "zero", "1")),
            HasSubstr(told(scenario, "zero", "3")), HasSubstr(told(scenario, "pp", "4")),
            Not(HasSubstr("micro_batch")), Not(HasSubstr("tp="))));
}

TEST(FitAdvice, WhatDoesNotSufficeIsNotNamed) {
  OwnedJob scenario = copies_of_one();
  OwnedJob shared = scenario;
  shared.options["zero"] = "3";
  scenario.cluster.device.memory = memory_of(shared);
  const std::string text = advice(scenario);
  EXPECT_THAT(text, HasSubstr(told(scenario, "zero", "3")));
  EXPECT_THAT(text, Not(HasSubstr("recompute=selective")));
}

TEST(FitAdvice, WhereNoneSufficesSomeTogetherAreNamed) {
  OwnedJob scenario = copies_of_one();
  OwnedJob both = scenario;
  both.options["zero"] = "3";
  both.options["recompute"] = "full";
  scenario.cluster.device.memory = memory_of(both);
  EXPECT_THAT(advice(scenario), StartsWith("No single change makes it fit; together these do: "));
}

TEST(FitAdvice, WhereNothingSufficesItSaysHowManyGpusWould) {
  OwnedJob scenario = transformer_scenario(
      "1f1b", {{"tp", "8"}, {"micro_batch", "1"}, {"global_batch", "64"}, {"zero", "3"}}, 1);
  scenario.cluster.device.memory = Bytes{2e10};
  EXPECT_THAT(advice(scenario),
              MatchesRegex("Nothing makes it fit on 8 GPUs, the least is .*; [0-9]+ GPUs would do, "
                           "with .* \\([0-9.]+ GiB\\)\\."));
  scenario.cluster.device.memory = Bytes{1e6};
  EXPECT_THAT(advice(scenario), HasSubstr("nor do up to 16384 GPUs."));
}

TEST(FitAdvice, ARunThatDoesNotFitSaysIt) {
  OwnedJob scenario = copies_of_one();
  scenario.cluster.device.memory = memory_of(scenario) * 0.9;
  scenario.engine.fidelity = Fidelity::Analytic;
  const Notes notes = simulated(scenario).forecast.notes;
  EXPECT_THAT(notes, testing::Contains(testing::Field(&Note::text, advice(scenario))));
}

}  // namespace
}  // namespace stepcast
