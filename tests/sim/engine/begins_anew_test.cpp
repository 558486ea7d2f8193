// Where nothing of an iteration is under way when the next begins, one is simulated and reported:
// behind an update that waits for all, and where few gradients travel together.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

const Workload kWorkload = uniform_workload(6, {1e-3}, {2e-3}, 300'000);

Cluster cluster_with_costs() {
  Cluster cluster = plain_cluster(4, 2);
  cluster.overlap = {.compute_slowdown = 0.1, .communication_slowdown = 1};
  cluster.software.ps_sum_bandwidth = BytesPerSecond{5e8};
  return cluster;
}

Timeline timeline_of(const std::string& schedule, Fidelity fidelity, std::uint32_t iterations) {
  const Cluster cluster = cluster_with_costs();
  return simulate(build_plan(schedule, kWorkload, cluster, {}), cluster,
                  {.fidelity = fidelity, .iterations = iterations});
}

void expect_near(Seconds found, Seconds expected) {
  EXPECT_NEAR(found.value, expected.value, 1e-9 * std::max(1e-3, expected.value));
}

class BeginsAnew : public testing::TestWithParam<const char*> {};

TEST_P(BeginsAnew, OneIterationTellsWhatTheThirdDoes) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
    const Timeline one = timeline_of(GetParam(), fidelity, 0);
    const Timeline all = timeline_of(GetParam(), fidelity, 3);
    EXPECT_EQ(one.iterations, 1U);
    EXPECT_TRUE(one.steady);
    expect_near(one.iteration_time, all.iteration_time);
    ASSERT_EQ(one.intervals[1].size(), all.intervals[1].size());
    for (int k = 0; k < 2; ++k)
      for (std::size_t i = 0; i < one.intervals[k].size(); ++i) {
        const auto& [ready, start, end] = one.intervals[k][i];
        expect_near(ready - one.begin, all.intervals[k][i].ready - all.begin);
        expect_near(start - one.begin, all.intervals[k][i].start - all.begin);
        expect_near(end - one.begin, all.intervals[k][i].end - all.begin);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Barriers, BeginsAnew,
                         testing::Values("bsp", "wfbp", "ddp", "mg-wfbp", "ps", "delayed", "dear",
                                         "bytescheduler"),
                         [](const auto& schedule) {
                           std::string name = schedule.param;
                           std::erase(name, '-');
                           return name;
                         });

// All-gathers of a layer each, of which only the first holds up the next iteration's forward pass.
TEST(SeveralIterations, AreSimulatedWhereOneReachesIntoTheNext) {
  const Cluster cluster = cluster_with_costs();
  for (const auto& [schedule, options] :
       {std::pair<const char*, ScheduleOptions>{"dear", {{"fusion", "none"}}}, {"horovod", {}}})
    EXPECT_GT(simulate(build_plan(schedule, kWorkload, cluster, options), cluster, {}).iterations,
              1U)
        << schedule;
}

}  // namespace
}  // namespace stepcast
