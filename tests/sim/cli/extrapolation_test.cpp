// Every report of a forecast that took a time beyond the measured curves says so.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using Arguments = std::vector<std::string>;

bool speaks_of(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

/// 32 nodes of 4, where the curves of v100-32x4-edr end at 8 nodes.
const std::vector<Arguments> kBeyond = {
    {"run", "--workload", "resnet50-v100-bs96", "--cluster", "v100-32x4-edr", "--schedule", "ddp"},
    {"compare", "--workload", "resnet50-v100-bs96", "--cluster", "v100-32x4-edr", "--schedules",
     "ddp,dear"},
    {"compare", "--workload", "resnet50-v100-bs96", "--cluster", "v100-32x4-edr", "--schedules",
     "ddp", "--nodes", "8,32"},
    {"tune", "--workload", "resnet50-v100-bs96", "--cluster", "v100-32x4-edr", "--schedule", "ddp",
     "--option", "bucket", "--trials", "2"},
    {"compare", "--workload", "resnet50-v100-bs96", "--cluster", "v100-32x4-edr", "--schedules",
     "ddp", "--nodes", "8,32", "--across", "nodes"},
    {"compare", "--epochs", "ddp=90", "--samples", "1281167", "--workload", "resnet50-v100-bs96",
     "--cluster", "v100-32x4-edr"},
    {"run", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "v100-32x4-edr", "--schedule",
     "d-kfac", "--parts", "exposed"},
    {"collective", "--cluster", "v100-32x4-edr", "--algorithm", "ring", "--size", "1MiB", "--gpus",
     "128"},
    {"compare", "--workload", "vgg16-rtx2080ti-bs32", "--cluster", "v100-32x4-edr", "--schedules",
     "ddp,topka2a", "--set", "density=0.01,0.1", "--map", "density", "--fidelity", "analytic"},
    {"replay", STEPCAST_SOURCE_DIR "/tests/golden/data/small-trace.json", "--cluster",
     "v100-32x4-edr"},
};

class Extrapolation : public testing::TestWithParam<Arguments> {};

TEST_P(Extrapolation, IsSaidInTheReport) {
  const Outcome outcome = run_cli(GetParam());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(speaks_of(outcome.out, "xtrapolated")) << outcome.out;
}

TEST_P(Extrapolation, IsSaidInTheJson) {
  Arguments arguments = GetParam();
  arguments.emplace_back("--json");
  const Outcome outcome = run_cli(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(speaks_of(nlohmann::json::parse(outcome.out).dump(), "xtrapolated")) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Commands, Extrapolation, testing::ValuesIn(kBeyond),
                         [](const auto& tested) {
                           return tested.param.front() + std::to_string(tested.index);
                         });

TEST(MeasuredCurves, OnAsManyGpusAsWereMeasuredNothingIsExtrapolated) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-v100-bs96", "--cluster",
                                   "v100-32x4-edr", "--schedules", "ddp", "--nodes", "4,8"});
  EXPECT_FALSE(speaks_of(outcome.out, "xtrapolated")) << outcome.out;
}

TEST(MeasuredCurves, OverOtherBandwidthsMapsUseClosedForms) {
  // The curves were measured over 20.48 GB/s: over a hundredth of it a step takes longer.
  const auto step_over = [](const char* bandwidth) {
    const Outcome outcome =
        run_cli({"compare", "--workload", "vgg16-rtx2080ti-bs32", "--cluster", "v100-32x4-edr",
                 "--nodes", "8", "--schedules", "ddp,topka2a", "--set", "density=0.01,0.1", "--map",
                 "density", "--fidelity", "analytic", "--set",
                 std::string("cluster.nic.bandwidth=") + bandwidth, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(bandwidth == std::string("20.48GBps") ||
                speaks_of(json["results"][0]["notes"].dump(), "closed forms replace"));
    return json["results"][0]["iteration_time_s"].get<double>();
  };
  EXPECT_GT(step_over("0.2048GBps"), 5 * step_over("20.48GBps"));
}

}  // namespace
}  // namespace stepcast
