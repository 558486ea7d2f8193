// Jobs that ByteDance published with their analysis (OSDI'25): ST, whose last stage is too long,
// and SE, whose sequence lengths differ.

#include "tests/support/published_jobs.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/diagnose/recorded_slow_downs.hpp"
#include "sim/jobs/job_replay.hpp"
#include "tests/support/lost_rows.hpp"
#include "traces/formats/stepcast/slow_downs_file.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/medians.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

const PartSlowdown& part(const std::vector<PartSlowdown>& parts, const std::string& name) {
  return *std::ranges::find(parts, name, &PartSlowdown::name);
}

TEST(PublishedJobsTest, ShippedSlowDownsAreThoseOfTheJobs) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  for (const auto& [table, name] : {std::pair{"ST.csv.gz", "bytedance-st"},
                                    std::pair{"SE_steps_1_to_21.csv.gz", "bytedance-se"}}) {
    const SlowDown::Recorded found = slow_downs_of(read_published(table)),
                             shipped = load_slow_downs(name);
    ASSERT_EQ(found.steps.size(), shipped.steps.size());
    for (std::size_t step = 0; step < found.steps.size(); ++step)
      for (std::size_t rank = 0; rank < found.steps[step].size(); ++rank)
        EXPECT_NEAR(found.steps[step][rank], shipped.steps[step][rank], 1e-4);
  }
}

TEST(PublishedJobsTest, StIsDiagnosedAsItsAuthorsDid) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Diagnosis diagnosis = diagnose(read_published("ST.csv.gz"));
  const std::filesystem::path expected_path = jobs_folder() / "ST_expected.json";
  const auto expected = parse_json(read_text_file(expected_path), "expected");
  EXPECT_EQ(diagnosis.steps, 32U);
  EXPECT_LT(diagnosis.step_error, 0.01);
  EXPECT_NEAR(diagnosis.slowdown, expected["blocking_slowdown"].get<double>(), 0.001);
  EXPECT_NEAR(diagnosis.ideal_step.value, 1.8433, 0.0002 * 1.8433);
  for (const auto& [stage, slowdown] : expected["blocking_decompose_by_stage"].items())
    EXPECT_NEAR(part(diagnosis.by_stage, stage).slowdown, slowdown.get<double>(), 0.001) << stage;
  for (const auto& [kind, slowdown] : expected["blocking_decompose_by_optype"].items()) {
    if (kind == "gc")
      continue;  // A marker.
    EXPECT_NEAR(part(diagnosis.by_kind, kind).slowdown, slowdown.get<double>(), 0.001) << kind;
  }
  for (const auto& [rank, slowdown] : expected["blocking_decompose_by_dp_rank"].items())
    EXPECT_NEAR(part(diagnosis.by_data, rank).slowdown, slowdown.get<double>(), 0.001) << rank;
  EXPECT_NEAR(*diagnosis.last_stage.share, expected["m_s"]["Ms"].get<double>(), 0.005);
  EXPECT_NEAR(*diagnosis.worst_ranks.share, expected["m_w"]["Mw"].get<double>(), 0.001);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Stage);
  EXPECT_EQ(diagnosis.verdict.subject, "stage 3");
}

// Even stages leave what differs from one micro-batch to the next.
TEST(PublishedJobsTest, StWithEvenStagesTakesNearlyItsIdealStep) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Diagnosis diagnosis = diagnose(read_published("ST.csv.gz"));
  EXPECT_GT(diagnosis.gains.even_stages->value, 1.8433);
  EXPECT_NEAR(diagnosis.gains.even_stages->value, 1.8433, 0.02 * 1.8433);
  EXPECT_LT(*diagnosis.gains.free_network, *diagnosis.gains.faster_network);
  EXPECT_LT(*diagnosis.gains.faster_network, diagnosis.undelayed_step);
}

TEST(PublishedJobsTest, StepsOfStWithoutDelaysAreThoseOfItsAuthors) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Job job = read_published("ST.csv.gz");
  const auto steps = JobReplay(job).replay_if([](const JobOperation&) { return true; });
  const auto expected = parse_json(read_text_file(jobs_folder() / "ST_expected.json"), "expected");
  for (std::size_t step = 0; step < steps.size(); ++step)
    EXPECT_NEAR(steps[step], expected["step_t_nodelay"][job.steps[step].name].get<double>(), 1e-3)
        << job.steps[step].name;
}

TEST(PublishedJobsTest, SeIsHeldUpByItsData) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Diagnosis diagnosis = diagnose(read_published("SE_steps_1_to_21.csv.gz"));
  EXPECT_EQ(diagnosis.steps, 21U);
  EXPECT_LT(diagnosis.step_error, 0.001);
  EXPECT_EQ(diagnosis.gpus, 128U);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Data) << diagnosis.verdict.text;
}

// S was 1.164 to 1.178 of a table that lost 3 % of its rows, 1.128 to 1.146 of one that lost 10 %.
TEST(PublishedJobsTest, StComesBackOfATableThatLostRows) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const std::filesystem::path path = jobs_folder() / "ST.csv.gz";
  const std::string whole = text_of(file_stream(path));
  ImportReport clean;
  Job complete = read_operations_csv(whole, "ST.csv", {}, clean);
  complete.clocks = put_on_one_clock(complete);
  const Diagnosis expected = diagnose(complete);
  EXPECT_TRUE(expected.doubts.empty());
  for (const double share : {0.03, 0.1})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      ImportReport report;
      Job job = read_operations_csv(with_lost_rows(whole, share, seed), "ST.csv", {}, report);
      job.clocks = put_on_one_clock(job);
      const Diagnosis diagnosis = diagnose(job);
      EXPECT_EQ(diagnosis.steps, expected.steps);
      EXPECT_NEAR(diagnosis.slowdown, expected.slowdown, share == 0.03 ? 0.001 : 0.002) << seed;
      EXPECT_LT(diagnosis.step_error, 0.005) << seed;
      EXPECT_EQ(diagnosis.verdict.subject, "stage 3") << seed;
      EXPECT_NE(diagnosis.doubts.front().find("not recorded and were restored"), std::string::npos)
          << seed;
    }
}

/// Another rank's passes for each rank, other ones in each step.
void shuffle_ranks(Job& job) {
  for (std::size_t number = 0; number < job.steps.size(); ++number) {
    JobStep& step = job.steps[number];
    for (JobOperation& done : step.operations)
      if (job.kinds[done.kind].work == JobWork::Forward) {
        const double by = 1 + 0.5 * ((done.rank + number) % job.ranks.size() == 0 ? 1 : 0);
        done.end = done.begin + (done.end - done.begin) * by;
      }
  }
}

TEST(PublishedJobsTest, NoWorkerIsNamedWhereSlownessWandersOverTheRanks) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  Job job = read_published("ST.csv.gz");
  shuffle_ranks(job);
  EXPECT_NE(diagnose(job).verdict.kind, VerdictKind::Worker);
}

TEST(PublishedJobsTest, StWithItsLastStageAsLongAsTheMeanIsEven) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  Job job = read_published("ST.csv.gz");
  std::vector<double> sums(job.kinds.size() * job.stages);
  std::vector<double> counts(sums.size());
  const auto place = [&](const JobOperation& done) {
    return done.kind * job.stages + job.ranks[done.rank].stage;
  };
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations) {
      sums[place(done)] += (done.end - done.begin).value;
      counts[place(done)] += 1;
    }
  for (JobStep& step : job.steps)
    for (JobOperation& done : step.operations) {
      const JobWork work = job.kinds[done.kind].work;
      if (job.ranks[done.rank].stage != 3 || work == JobWork::Transfer)
        continue;
      double others = 0;
      for (std::uint32_t stage = 0; stage < 3; ++stage)
        others += sums[done.kind * job.stages + stage] / counts[done.kind * job.stages + stage] / 3;
      const double own = sums[place(done)] / counts[place(done)];
      done.end = done.begin + (done.end - done.begin) * (others / own);
    }
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_LT(diagnosis.slowdown, 1.05);
  // What waited for stage 3 still begins when it did: these delays are all that is left.
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Host) << diagnosis.verdict.text;
}

}  // namespace
}  // namespace stepcast
