// Horovod's cycle has a random phase against the step: what holds on average over its phases.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/policy/negotiated_policy.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/chance/seeded_run.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/timeline/window.hpp"
#include "tests/support/examples.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Job {
  const char* schedule;
  std::uint32_t nodes;
};

class Phases : public ::testing::TestWithParam<Job> {
 protected:
  Phases() {
    cluster_.nodes = GetParam().nodes;
    cluster_.software.horovod_cycle = Seconds{5e-3};
  }

  Seconds step(const Cluster& cluster, const EngineOptions& options) const {
    return step_time_of(build_plan(GetParam().schedule, workload_, cluster, {}), cluster, options);
  }

  // A tensor that just misses a cycle costs its phase a whole one, a negotiation of 161 tensors and
  // an all-reduce of its own; of kPhases phases one comes to that edge at a time.
  static constexpr Seconds kTolerance{(5e-3 + 161 * 38e-6 + 2.1e-3) / kPhases};

  Workload workload_ = load_workload("resnet50-rtx2080ti-bs32");
  Cluster cluster_ = load_cluster("rtx2080ti-16x4-ib100");
};

TEST_P(Phases, MoreBandwidthNeverSlows) {
  Seconds least{1e9};
  for (int i = 0; i < 24; ++i) {
    Cluster faster = cluster_;
    faster.intra_node.bandwidth = cluster_.intra_node.bandwidth * std::pow(1.03, i);
    const Seconds time = step(faster, {.fidelity = Fidelity::Analytic});
    EXPECT_LE(time.value, (least + kTolerance).value) << "bandwidth x 1.03^" << i;
    least = std::min(least, time);
  }
}

TEST_P(Phases, AStragglerNeverSpeedsUp) {
  Seconds most{};
  for (int i = 0; i <= 20; ++i) {
    const Seconds time =
        step(cluster_, {.fidelity = Fidelity::Analytic, .stragglers = {{3, 1 + 0.01 * i}}});
    EXPECT_GE(time.value, (most - kTolerance).value) << i << " % slower";
    most = std::max(most, time);
  }
}

INSTANTIATE_TEST_SUITE_P(Negotiated, Phases,
                         ::testing::Values(Job{"horovod", 2}, Job{"horovod", 16}, Job{"kaisa", 2},
                                           Job{"kaisa", 16}, Job{"spd-kfac", 2},
                                           Job{"spd-kfac", 16}));

// One tensor, ready at 10 ms, goes with a cycle 0 to 5 ms later, evenly: 12.5 ms on average, where
// a thread that always met the same phase would make it 10 or 15. The reported iteration is the
// longest below, phase 3.5/8: 10 + 5 x 3.5/8 ms; the rest is its mean excess.
TEST(Phase, ALoneTensorWaitsHalfACycleOnAverage) {
  const Workload workload = examples::uniform_workload(1, Seconds{4e-3}, Seconds{6e-3}, 1);
  Cluster cluster = examples::plain_cluster(2);
  cluster.software.horovod_cycle = Seconds{5e-3};
  const Plan plan = build_plan("horovod", workload, cluster, {});
  const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  EXPECT_TRUE(timeline.steady);
  EXPECT_NEAR(timeline.mean_iteration_time().value, 12.5e-3, 1e-7);
  EXPECT_NEAR(timeline.iteration_time.value, 10e-3 + 5e-3 * 3.5 / 8, 1e-7);
  EXPECT_NEAR(timeline.worst_iteration_time.value, 10e-3 + 5e-3 * 7.5 / 8, 1e-7);
}

/// DP-KFAC whose factors are made in every second step, inverses in every fourth: a period of four
/// steps, which takes eight courses, one for each phase of the cycle.
class KfacPhases : public ::testing::Test {
 protected:
  const std::string folder_ = std::string(STEPCAST_SOURCE_DIR) + "/tests/data/kfac_phases/";
  Workload workload_ = load_workload(folder_ + "workload.json");
  Cluster cluster_ = load_cluster(folder_ + "cluster.json");
  ScheduleOptions options_{{"factor_interval", "2"}, {"inverse_interval", "4"}};
  Plan plan_ = build_plan("dp-kfac", workload_, cluster_, options_);
};

// The period that is reported is one of those that take no longer than their mean. Its longest step
// was below the mean step, which is of all eight.
TEST_F(KfacPhases, TheLongestStepIsThatOfAllPhases) {
  const Timeline timeline = simulate(plan_, cluster_, {});
  ASSERT_TRUE(timeline.steady);
  Seconds longest{};
  for (std::uint32_t last = timeline.iterations - kPhases + 1; last <= timeline.iterations;
       ++last) {
    Timeline one = simulate(plan_, cluster_, {.iterations = last});
    one.iteration_time = one.iteration_times.back();
    const ClassId slowest = extremes_of(plan_, one).slowest;
    longest = std::max(longest, std::ranges::max(step_times(plan_, one, slowest)));
  }
  const Forecast forecast =
      make_forecast(workload_, cluster_, plan_, options_, Fidelity::Flow, timeline);
  EXPECT_EQ(forecast.steps, 4U);
  EXPECT_NEAR(forecast.worst_iteration_time / longest, 1, 1e-9);
  EXPECT_GT(forecast.worst_iteration_time, forecast.iteration_time);
}

TEST_F(KfacPhases, TheLongestStepOfAllSeedsIsNoneOfTheMean) {
  EngineOptions engine;
  engine.slow_down.laws = {SlowDown::LogNormal{.sigma = 0.3}};
  auto [timeline, spread] = simulate_seeds(plan_, cluster_, engine, {.seeds = 4});
  const Forecast forecast =
      make_forecast(workload_, cluster_, plan_, options_, Fidelity::Flow, timeline, spread);
  EXPECT_GT(forecast.worst_iteration_time, forecast.iteration_time);
}

}  // namespace
}  // namespace stepcast
