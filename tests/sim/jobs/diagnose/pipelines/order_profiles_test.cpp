// Uneven stages in profiles of GPipe and 1F1B, however their messages are waited for: the slow-down
// is that of the steps that a generator makes with the same work spread evenly.
#include <numeric>

#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_order_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"

namespace stepcast {
namespace {

Diagnosis diagnosis_of(const MadeOrderProfiles& made) {
  return diagnose(profiled_job_of(
      made.texts(), {.data = 2, .pipeline = static_cast<std::uint32_t>(made.longer.size())}));
}

TEST(OrderProfiles, ThePaceOfAnUnevenStageIsFound) {
  for (const bool waits : {true, false})
    for (const bool gpipe : {true, false})
      for (const std::vector<double>& longer : std::vector<std::vector<double>>{
               {1.5, 1}, {1, 1.5}, {1.5, 1, 1, 1}, {1, 1.5, 1, 1}, {1, 1, 1, 1.5}}) {
        const MadeOrderProfiles made{.longer = longer, .gpipe = gpipe, .waits_for_sends = waits};
        MadeOrderProfiles even = made;
        const double mean =
            std::accumulate(longer.begin(), longer.end(), 0.0) / static_cast<double>(longer.size());
        even.longer.assign(longer.size(), mean);
        const Diagnosis diagnosis = diagnosis_of(made);
        const std::string which =
            fmt::format("waits {} gpipe {} longer {}", waits, gpipe, fmt::join(longer, ", "));
        EXPECT_NEAR(diagnosis.slowdown, made.step_us() / even.step_us(), 0.003) << which;
        EXPECT_EQ(diagnosis.taken_apart, 0U) << which;
        const auto slow = std::ranges::max_element(longer) - longer.begin();
        EXPECT_EQ(diagnosis.verdict.subject, fmt::format("stage {}", slow))
            << which << diagnosis.verdict.text;
      }
}

TEST(OrderProfiles, NobodyHoldsUpAnEvenPipeline) {
  for (const bool waits : {true, false})
    for (const bool gpipe : {true, false}) {
      const Diagnosis diagnosis = diagnosis_of({.gpipe = gpipe, .waits_for_sends = waits});
      EXPECT_NEAR(diagnosis.slowdown, 1, 0.002);
      EXPECT_NEAR(diagnosis.undelayed_step / diagnosis.recorded_step, 1, 0.002);
      EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
    }
}

// Which stage a rank is of no profile says.
TEST(OrderProfiles, WithoutAJobFileTheVerdictIsDoubted) {
  const Diagnosis diagnosis =
      diagnose(profiled_job_of(MadeOrderProfiles{.longer = {1, 1, 1, 1.5}}.texts()));
  ASSERT_FALSE(diagnosis.doubts.empty());
  EXPECT_NE(diagnosis.doubts.front().find("no job file says of how many stages (pp)"),
            std::string::npos);
}

// Ranks that never send anything are no stages.
TEST(OrderProfiles, StagesSendMessages) {
  MadeOrderProfiles made{.longer = {1}};
  EXPECT_EQ(input_error_of([&] { profiled_job_of(made.texts(), {.pipeline = 2}); }),
            "rank0.json: expected messages between the 2 stages that the job file tells, found "
            "none");
}

}  // namespace
}  // namespace stepcast
