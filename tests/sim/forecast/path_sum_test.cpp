// The parts of the critical path add up to the step, whatever is simulated.
#include <cmath>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/timeline/critical_path.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Job {
  const char* workload;
  const char* cluster;
  std::uint32_t nodes;
  Fidelity fidelity;
  EngineOptions engine{};
};

class PathSum : public ::testing::TestWithParam<std::string> {};

void expect_path_adds_up(const std::string& schedule, const Job& job) {
  const Workload workload = load_workload(job.workload);
  Cluster cluster = load_cluster(job.cluster);
  cluster.nodes = job.nodes;
  EngineOptions engine = job.engine;
  engine.fidelity = job.fidelity;
  const ScheduleOptions options = effective_options(schedule_of(schedule), {});
  const Plan plan = build_plan(schedule, workload, cluster, options);
  const Timeline timeline = simulate(plan, cluster, engine);
  const std::string where = job.workload + std::string(" ") + job.cluster + " " +
                            std::to_string(job.nodes) + " " + name_of(job.fidelity);
  const auto path = critical_path_of(plan, cluster, timeline, extremes_of(plan, timeline).slowest);
  ASSERT_FALSE(path.empty()) << where;
  // Where the slowest class begins its step is not where class 0 does.
  const Seconds begin = path.front().begin;
  Seconds at = begin;
  for (const PathSegment& part : path) {
    EXPECT_NEAR((part.begin - at) / timeline.iteration_time, 0, 1e-9) << where;
    at = part.end;
  }
  EXPECT_NEAR((at - begin) / timeline.iteration_time, 1, 1e-9) << where;
  const Forecast forecast = make_forecast(workload, cluster, plan, options, job.fidelity, timeline);
  Seconds told{};
  for (const PathEntry& entry : forecast.critical_path)
    told += entry.time;
  EXPECT_NEAR(told / (forecast.iteration_time * forecast.steps), 1, 1e-9) << where;
  EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-9) << where;
}

TEST_P(PathSum, IsTheStep) {
  const Job jobs[] = {{"resnet50-rtx2080ti-bs32", "rtx2080ti-16x4-ib100", 16, Fidelity::Analytic},
                      {"resnet50-rtx2080ti-bs32", "rtx2080ti-16x4-10gbe", 4, Fidelity::Flow},
                      {"densenet201-rtx2080ti-bs16", "rtx2080ti-16x4-ib100", 8, Fidelity::Analytic},
                      {"densenet201-rtx2080ti-bs16", "rtx2080ti-16x4-10gbe", 2, Fidelity::Flow},
                      {"resnet152-rtx2080ti-bs8",
                       "rtx2080ti-16x4-ib100",
                       4,
                       Fidelity::Analytic,
                       {.stragglers = {{3, 1.3}}}},
                      {"resnet50-rtx2080ti-bs32", "rtx2080ti-16x4-10gbe", 1, Fidelity::Step}};
  for (const Job& job : jobs)
    expect_path_adds_up(GetParam(), job);
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    names.push_back(schedule.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(AllSchedules, PathSum, ::testing::ValuesIn(names_of_all()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stepcast
