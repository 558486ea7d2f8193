#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

Settings parse(const std::vector<std::string>& arguments) {
  return parse_settings(arguments);
}

const Cluster kSixteen{.nodes = 4, .gpus_per_node = 4};

TEST(BatchSettings, AGlobalBatchIsDividedAmongTheGpus) {
  EXPECT_EQ(resolved_batch(parse({"global_batch=4096"}), kSixteen).batch, 256U);
  EXPECT_EQ(resolved_batch(parse({"global_batch=4096", "accumulation=4"}), kSixteen).batch, 64U);
  EXPECT_EQ(resolved_batch(parse({"batch=8"}), kSixteen).batch, 8U);
  EXPECT_EQ(resolved_batch(parse({"global_batch=4096"}), kSixteen, 8).batch, 512U);
}

TEST(BatchSettings, AGlobalBatchMustDivide) {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    return input_error_of([&] { resolved_batch(parse(arguments), kSixteen); });
  };
  EXPECT_EQ(error_of({"global_batch=100"}),
            "--set global_batch=100: expected a multiple of 16 (16 GPUs)");
  EXPECT_EQ(input_error_of([] { resolved_batch(parse({"global_batch=100"}), kSixteen, 8); }),
            "--set global_batch=100: expected a multiple of 8 (8 GPUs that train)");
  EXPECT_EQ(error_of({"global_batch=64", "batch=4"}),
            "--set global_batch: expected no batch beside it");
  EXPECT_EQ(error_of({"batch_fixed_part=0.1"}),
            "--set batch_fixed_part or second_workload: expected batch or global_batch beside it");
}

TEST(BatchSettings, WrongValuesAreRefusedAtOnce) {
  for (const char* argument : {"global_batch=0", "global_batch=x", "batch_fixed_part=-0.1",
                               "batch_fixed_part=1.1", "batch_fixed_part=nan"})
    EXPECT_NE(input_error_of([&] { parse({argument}); }), "") << argument;
}

TEST(BatchSettings, TheProvenanceSaysHowTimesFollowed) {
  Workload workload{.name = "one", .batch = 64};
  workload.layers = {{.name = "fc", .forward = {0.01}, .backward = {0.02}}};
  const Workload smaller = with_settings(workload, parse({"batch=16", "batch_fixed_part=0.1"}));
  EXPECT_NEAR(smaller.layers[0].forward.value, 0.00325, 1e-12);
  ASSERT_EQ(smaller.provenance.notes.size(), 1U);
  EXPECT_EQ(smaller.provenance.notes[0],
            "batch 16 from batch 64: 10 % of each layer's time stays, the rest is proportional");
}

TEST(BatchSettings, AnUnknownSecondWorkloadIsNamed) {
  const Workload workload{.name = "one", .batch = 64};
  const std::string error = input_error_of([&] {
    with_settings(workload, parse({"batch=16", "second_workload=nonesuch"}));
  });
  EXPECT_TRUE(error.starts_with("--set second_workload=nonesuch: ")) << error;
}

}  // namespace
}  // namespace stepcast
