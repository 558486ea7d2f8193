// Asynchronous schedules at analytic fidelity, where transfers that meet share links by a mechanism
// of its own, against flow.
#include <string>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/protocol_forecast.hpp"

namespace stepcast {
namespace {

struct Job {
  const char* workload;
  const char* cluster;
  const char* nodes;
};

// Bound by NICs of 10 Gb/s, by ports of PCIe boxes on fast adapters, and between the two.
constexpr Job kJobs[] = {{"resnet50-rtx2080ti-bs64", "rtx2080ti-16x4-10gbe", "16"},
                         {"vgg16-rtx2080ti-bs32", "rtx2080ti-16x4-10gbe", "6"},
                         {"vgg16-rtx2080ti-bs32", "rtx2080ti-16x4-ib100", "16"},
                         {"resnet50-v100-bs64", "v100-16x8-25g", "4"}};

Scenario scenario_of_job(const Job& job, Fidelity fidelity) {
  Experiment experiment{.workload = job.workload, .cluster = job.cluster};
  experiment.settings.cluster = {{"nodes", job.nodes}};
  Scenario scenario = scenario_of(std::move(experiment));
  scenario.engine.fidelity = fidelity;
  scenario.engine.iterations = 60;
  scenario.chance = {.seeds = 3, .asked = true};
  return scenario;
}

Forecast forecast_at(const Job& job, const std::string& schedule, Fidelity fidelity) {
  return protocol_run(scenario_of_job(job, fidelity), schedule).forecast;
}

// The static table of groups is for four workers a node.
bool runs(const ScheduleInfo& info, const Scenario& scenario) {
  return std::string(info.name) != "prague-static" || scenario.cluster.gpus_per_node == 4;
}

std::string name_of(const Job& job, const std::string& schedule) {
  return schedule + " of " + job.workload + " on " + job.nodes + " nodes of " + job.cluster;
}

// Messages that met on a link did not slow each other: smart groups on 16 nodes took half the time.
TEST(AsynchronousFidelity, AnalyticTimesAreWithinTenPercentOfFlow) {
  for (const Job& job : kJobs)
    for (const ScheduleInfo& info : asynchronous_schedules()) {
      if (!runs(info, scenario_of_job(job, Fidelity::Analytic)))
        continue;
      EXPECT_NEAR(forecast_at(job, info.name, Fidelity::Analytic).iteration_time /
                      forecast_at(job, info.name, Fidelity::Flow).iteration_time,
                  1, 0.1)
          << name_of(job, info.name);
    }
}

// What nodes send on average, over the bandwidth of one adapter. Of 60 iterations the models of the
// last two may be under way at the end, which count as sent. Rounds of `d-psgd` that overlap were
// 7 % below.
TEST(AsynchronousFidelity, NoIterationIsShorterThanItsBytesOverBandwidth) {
  for (const Job& job : kJobs)
    for (const ScheduleInfo& info : asynchronous_schedules()) {
      const Scenario scenario = scenario_of_job(job, Fidelity::Analytic);
      if (!runs(info, scenario))
        continue;
      const Forecast forecast = forecast_at(job, info.name, Fidelity::Analytic);
      const Seconds bytes = forecast.protocol.sent_per_nic / node_link(scenario.cluster).bandwidth;
      EXPECT_GE(forecast.iteration_time.value, bytes.value * (1 - 2.0 / 60))
          << name_of(job, info.name);
    }
}

}  // namespace
}  // namespace stepcast
