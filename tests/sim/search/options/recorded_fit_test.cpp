// Recorded steps that have to hold less than they are told to.
#include "sim/search/options/recorded_fit.hpp"

#include <gtest/gtest.h>

#include "sim/jobs/edits/job_steps.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"

namespace stepcast {
namespace {

constexpr double kGibibyte = 1073741824;

RecordedMemory told(const std::vector<std::pair<std::string, std::string>>& sizes) {
  return recorded_memory_of(sizes);
}

/// Reductions that passes hide: to compute anew costs more than to go in parts.
EditedStep fitted(const RecordedMemory& memory, double gibibytes) {
  EditedStep result;
  edit_recording(editable_steps(profiled_job_of(MadeProfiles().texts())).step, {}, false,
                 MemoryWish{memory, Bytes{gibibytes * kGibibyte}}, result);
  return result;
}

std::string error_of(const RecordedMemory& memory, double gibibytes) {
  return input_error_of([&] { fitted(memory, gibibytes); });
}

TEST(RecordedFitTest, WhatFitsStaysAsItIs) {
  const EditedStep step = fitted(told({{"total", "14GiB"}}), 14);
  EXPECT_TRUE(step.accepted.empty());
  EXPECT_EQ(step.memory_before, step.memory_after);
  EXPECT_EQ(step.step_before, step.step_after);
}

// 5 + 9 / 2 = 9.5 GiB; of 8 GiB four passes: 5 + 9 / 4 = 7.25.
TEST(RecordedFitTest, AsFewPassesAsFit) {
  const RecordedMemory memory = told({{"total", "14GiB"}, {"activations", "9GiB"}});
  const EditedStep two = fitted(memory, 10);
  ASSERT_EQ(two.accepted.size(), 1U);
  EXPECT_EQ(two.accepted.front().text, "accumulation passes=2");
  EXPECT_NEAR(two.memory_after.value, 9.5 * kGibibyte, 1);
  EXPECT_NE(two.notes.back().find("9.5 GiB instead of 14 GiB a GPU by accumulation over 2 passes"),
            std::string::npos)
      << two.notes.back();
  EXPECT_NEAR(fitted(memory, 8).memory_after.value, 7.25 * kGibibyte, 1);
}

TEST(RecordedFitTest, TheFasterOfTheTwo) {
  const RecordedMemory memory =
      told({{"total", "14GiB"}, {"activations", "9GiB"}, {"recomputed", "2GiB"}});
  const EditedStep step = fitted(memory, 10);
  EXPECT_EQ(step.accepted.front().text, "accumulation passes=2");
  EditedStep again;
  edit_step(editable_steps(profiled_job_of(MadeProfiles().texts())).step,
            {parse_edit_request("recomputation")}, false, again);
  EXPECT_LT(step.step_after, again.step_after);
  // 5 + 9 / 64 = 5.14 GiB would not fit into 5.1; what is kept of activations does.
  const RecordedMemory little =
      told({{"total", "14GiB"}, {"activations", "9GiB"}, {"recomputed", "100MiB"}});
  EXPECT_EQ(fitted(little, 5.1).accepted.front().text, "recomputation");
}

TEST(RecordedFitTest, WhatIsNotKnownIsSaid) {
  EXPECT_EQ(error_of(told({{"total", "14GiB"}}), 10),
            "`memory`: 10 GiB is not enough: 14 GiB as it is; what of it are activations, which "
            "accumulation and recomputation save, is not known: expected `holds` "
            "..,activations=SIZE");
  EXPECT_EQ(error_of(told({{"total", "14GiB"}, {"activations", "8GiB"}}), 4),
            "`memory`: 4 GiB is not enough: 14 GiB as it is, 6.125 GiB over 64 passes; what "
            "recomputation would keep is not known: expected `holds` ..,recomputed=SIZE");
  EXPECT_EQ(
      error_of(told({{"total", "14GiB"}, {"activations", "8GiB"}, {"recomputed", "1GiB"}}), 4),
      "`memory`: 4 GiB is not enough: 14 GiB as it is, 6.125 GiB over 64 passes, 7 GiB with "
      "recomputation");
}

TEST(RecordedFitTest, BadSizesAreRefusedInALine) {
  const auto error = [](const std::vector<std::pair<std::string, std::string>>& sizes) {
    return input_error_of([&] { told(sizes); });
  };
  EXPECT_EQ(error({}), "expected total=SIZE above zero, such as total=14GiB,activations=9GiB");
  EXPECT_EQ(error({{"total", "1GiB"}, {"buffers", "1GiB"}}),
            "buffers: expected total, activations or recomputed, each once");
  EXPECT_EQ(error({{"total", "1GiB"}, {"total", "2GiB"}}),
            "total: expected total, activations or recomputed, each once");
  EXPECT_EQ(error({{"foo", "1"}}), "foo: expected total, activations or recomputed, each once");
  EXPECT_EQ(error({{"total", "1GiB"}, {"activations", "2GiB"}}),
            "activations: expected no more than total");
  EXPECT_EQ(error({{"total", "1GiB"}, {"recomputed", "2GiB"}}),
            "recomputed: expected activations= beside it, of which it is what is kept");
  EXPECT_EQ(error({{"total", "3GiB"}, {"activations", "1GiB"}, {"recomputed", "2GiB"}}),
            "recomputed: expected no more than activations");
}

}  // namespace
}  // namespace stepcast
