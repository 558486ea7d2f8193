#include <gtest/gtest.h>

#include "sim/forecast/effects.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

std::string notes_of(ScheduleOptions options, std::map<std::string, std::string> cluster = {}) {
  Scenario scenario{.original_workload = *find_transformer_model(
                        "transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=a100"),
                    .original_cluster = load_cluster("dgx-a100"),
                    .schedules = {"1f1b"}};
  scenario.original_cluster.nodes = 1;
  scenario.engine.fidelity = Fidelity::Analytic;
  Settings settings{.schedule = std::move(options)};
  settings.cluster = std::move(cluster);
  scenario = changed(std::move(scenario), std::move(settings));
  std::string text;
  for (const Note& note : changes_without_effect(
           scenario, "1f1b", simulated(scenario, "1f1b").forecast.iteration_time))
    text += note.text + "\n";
  return text;
}

std::string unchanged(const std::string& setting, const std::string& usual) {
  return setting + " changed nothing: iteration time and memory are the same with the default " +
         usual + "\n";
}

// One stage, no tensor groups, no copies: no messages of the kind.
TEST(IdleOptions, RatiosOfMessagesThatAreNotSentChangeNothing) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"pp_ratio", "4"}}), unchanged("pp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"pp", "4"}, {"tp_ratio", "4"}}), unchanged("tp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"tp", "8"}, {"dp_ratio", "4"}}), unchanged("dp_ratio=4", "1"));
  EXPECT_EQ(notes_of({{"pp", "4"}, {"pp_ratio", "4"}}), "");
  EXPECT_EQ(notes_of({{"tp", "4"}, {"tp_ratio", "4"}, {"dp_ratio", "4"}}), "");
}

// Sharing the optimiser's state, or another optimiser, changes what is held and not how long it
// takes.
TEST(IdleOptions, WhatChangesMemoryAloneIsNotSaidToChangeNothing) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"optimiser", "sgd"}}), "");
  EXPECT_EQ(notes_of({{"tp", "8"}, {"zero", "1"}}), unchanged("zero=1", "0"));
}

// Without stages nothing is sent between nodes.
TEST(IdleOptions, SettingsOfTheClusterAreTriedUnderPipelinesToo) {
  EXPECT_EQ(notes_of({{"tp", "8"}}, {{"nic.bandwidth", "1Gbps"}}),
            "cluster.nic.bandwidth=1Gbps changed nothing: iteration time and memory are the same "
            "with the cluster's own\n");
}

TEST(IdleOptions, LayoutAndBatchAreShownAnyway) {
  EXPECT_EQ(notes_of({{"tp", "8"}, {"cp", "1"}, {"micro_batch", "1"}, {"global_batch", "1"}}), "");
}

}  // namespace
}  // namespace stepcast
