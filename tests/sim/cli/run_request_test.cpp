#include "sim/cli/run_request.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// What is said before one communication of all GPUs is simulated.
std::string warning_of(std::uint32_t nodes, Fidelity fidelity, bool fold = true) {
  Scenario scenario;
  scenario.cluster.nodes = nodes;
  scenario.cluster.gpus_per_node = 4;
  scenario.engine.fidelity = fidelity;
  scenario.engine.fold = fold;
  Plan plan{.schedule = "bsp",
            .graph = TaskGraph({Task{.kind = TaskKind::Communication}}, {}),
            .teams = {world_team(scenario.cluster)}};
  testing::internal::CaptureStderr();
  warn_of_cost(plan, scenario);
  return testing::internal::GetCapturedStderr();
}

TEST(RunRequest, WarnsOfRunsThatTakeLongOrMuch) {
  // 40 MB and 4.9 kB for each of 400,000 GPUs are 2 GB; 4 iterations of as many flows of 1.8 us are
  // 2.9 s. At step fidelity 4,000 GPUs send 4,000 x 7,998 messages: 4 x 32e6 x 1.8 us = 230 s.
  EXPECT_EQ(warning_of(100'000, Fidelity::Flow),
            "stepcast: bsp of 400000 GPUs at flow fidelity take about 2 GB and 2.9 s; "
            "--fidelity analytic takes less\n");
  EXPECT_EQ(warning_of(1'000, Fidelity::Step),
            "stepcast: bsp of 4000 GPUs at step fidelity take about 60 MB and 4 min; "
            "--fidelity analytic takes less\n");
  EXPECT_EQ(warning_of(100'000, Fidelity::Analytic), "");
  EXPECT_EQ(warning_of(25'000, Fidelity::Flow), "");
  // 16 million tasks of a rank at 145 B are 2.3 GB, whatever the fidelity.
  EXPECT_EQ(warning_of(4'000'000, Fidelity::Analytic, false),
            "stepcast: bsp of 16000000 GPUs at analytic fidelity, unfolded, take about 2.4 GB and "
            "13 s\n");
}

}  // namespace
}  // namespace stepcast
