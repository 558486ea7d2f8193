#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"

// Ranks that did not record all steps. Steps look alike, so that one counted from each rank's own
// beginning would meet the next one of another rank, with a clock that is off by a step.

namespace stepcast {
namespace {

MadeProfiles uneven_clocks(int slow) {
  MadeProfiles made;
  made.steps = 8;
  made.kernel = [slow](int rank, int step, int layer, bool forward) {
    const double noise = scatter(rank, step, 2 * layer + (forward ? 1 : 0));
    return (forward ? 1000 : 2000) * (1 + 0.002 * noise) * (rank == slow ? 1.4 : 1);
  };
  made.offset = [](int rank) { return 10'000.0 * rank; };
  return made;
}

/// Without the annotation of one step of a rank.
std::vector<std::string> without(std::vector<std::string> texts, std::size_t rank, int step) {
  std::string& text = texts[rank];
  const std::size_t name = text.find(fmt::format("\"ProfilerStep#{}\"", step));
  EXPECT_NE(name, std::string::npos);
  const std::size_t begin = text.rfind(",\n", name);
  text.erase(begin, text.find('}', text.find('}', name) + 1) + 1 - begin);
  return texts;
}

class MissingStepsTest : public testing::TestWithParam<int> {};

TEST_P(MissingStepsTest, AreNotThoseBehindThem) {
  const Job job = profiled_job_of(without(uneven_clocks(-1).texts(), 1, GetParam()));
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_NEAR(job.clocks.hosts[rank].offset.value, 0.01 * static_cast<double>(rank), 2e-6);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
  EXPECT_NEAR(diagnosis.slowdown, 1, 0.01);
}

TEST_P(MissingStepsTest, HideNoSlowRank) {
  const Diagnosis diagnosis =
      diagnose(profiled_job_of(without(uneven_clocks(2).texts(), 1, GetParam())));
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "rank 2");
}

TEST(UnjoinedClocksTest, LeaveOpenWhoHoldsUpTheJob) {
  Job job = profiled_job_of(uneven_clocks(2).texts());
  EXPECT_EQ(diagnose(job).verdict.subject, "rank 2");
  job.clocks.parts = 2;
  const JobVerdict verdict = diagnose(job).verdict;
  EXPECT_EQ(verdict.kind, VerdictKind::None);
  EXPECT_EQ(verdict.text,
            "Who holds up the job cannot be said: nothing joins the clocks of 2 parts of its "
            "ranks.");
}

INSTANTIATE_TEST_SUITE_P(FirstAndLater, MissingStepsTest, testing::Values(0, 5));

}  // namespace
}  // namespace stepcast
