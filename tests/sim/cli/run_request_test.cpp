#include "sim/cli/run_request.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::string warning_of(std::uint32_t nodes, Fidelity fidelity) {
  Scenario scenario;
  scenario.cluster.nodes = nodes;
  scenario.cluster.gpus_per_node = 4;
  scenario.engine.fidelity = fidelity;
  testing::internal::CaptureStderr();
  warn_of_size(scenario);
  return testing::internal::GetCapturedStderr();
}

TEST(RunRequest, WarnsOfRunsThatTakeMinutes) {
  EXPECT_EQ(warning_of(100'000, Fidelity::Flow),
            "stepcast: 400000 GPUs at flow fidelity take minutes; --fidelity analytic does not\n");
  EXPECT_EQ(warning_of(100'000, Fidelity::Analytic), "");
  EXPECT_EQ(warning_of(25'000, Fidelity::Flow), "");
}

}  // namespace
}  // namespace stepcast
