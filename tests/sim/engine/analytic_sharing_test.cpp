// Schedules with several transfers under way at once, by closed forms against shared links.
#include <gtest/gtest.h>

#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

Seconds step(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  return step_time_of(plan, cluster, {.fidelity = fidelity});
}

struct Case {
  const char* schedule;
  ScheduleOptions options;
};

// Bound by communication: 12 layers of 8 MB in 12 ms of compute, NICs of 1 GB/s.
TEST(AnalyticSharing, TransfersAtOnceTakeAsLongAsTheirFlows) {
  const Workload workload =
      examples::uniform_workload(12, Seconds{0.4e-3}, Seconds{0.6e-3}, 2'000'000);
  const Case cases[] = {{"ps", {}},
                        {"ps", {{"in_flight", "8"}}},
                        {"ps", {{"servers", "2"}}},
                        {"ps", {{"placement", "remote"}}},
                        {"ps", {{"order", "priority"}, {"barrier", "no"}}},
                        {"asc-wfbp", {}}};
  for (const std::uint32_t gpus : {1U, 4U}) {
    const Cluster cluster = examples::plain_cluster(8, gpus);
    for (const auto& [schedule, options] : cases) {
      const Plan plan = build_plan(schedule, workload, cluster, options);
      const double ratio =
          step(plan, cluster, Fidelity::Analytic) / step(plan, cluster, Fidelity::Flow);
      EXPECT_NEAR(ratio, 1, 0.1) << schedule << " " << gpus << " "
                                 << (options.empty() ? "" : options.begin()->first);
    }
  }
}

}  // namespace
}  // namespace stepcast
