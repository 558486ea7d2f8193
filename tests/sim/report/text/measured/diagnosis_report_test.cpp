#include "sim/report/text/measured/diagnosis_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two stages of so many data-parallel groups, of which the last ones are slowest.
Diagnosis of_groups(std::uint32_t groups) {
  Diagnosis diagnosis{
      .gpus = 2 * groups,
      .stages = 2,
      .groups = groups,
      .steps = 2,
      .recorded_step = Seconds{0.1},
      .simulated_step = Seconds{0.1},
      .undelayed_step = Seconds{0.1},
      .ideal_step = Seconds{0.1},
      .worst_ranks = {.ranks = {0}},
      .by_stage = {{"0", 1.1}, {"1", 1.2}},
      .replayed = {{"7", Seconds{0.1}, Seconds{0.1}}, {"8", Seconds{0.1}, Seconds{0.097}}},
      .verdict = {.text = "Nobody."}};
  for (std::uint32_t rank = 0; rank < 2 * groups; ++rank) {
    diagnosis.ranks.push_back({.number = rank, .data = rank / 2, .stage = rank % 2});
    diagnosis.by_rank.push_back({std::to_string(rank), 1});
    diagnosis.uses.push_back({.rank = rank});
  }
  for (std::uint32_t group = 0; group < groups; ++group)
    diagnosis.by_data.push_back({std::to_string(group), 1 + 0.01 * group});
  return diagnosis;
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(DiagnosisReportTest, TellsTheSlowestDataParallelGroups) {
  const std::string text = render_diagnosis(of_groups(16));
  EXPECT_THAT(text, HasSubstr("\nstage                1                     1.2000\n"));
  EXPECT_THAT(text, HasSubstr("\ndata-parallel group  15                    1.1500\n"));
  EXPECT_THAT(text, HasSubstr("\ndata-parallel group  and 12 more\n"));
}

TEST(DiagnosisReportTest, PartsThatSlowNothingDownAreLeftOut) {
  Diagnosis diagnosis = of_groups(2);
  EXPECT_THAT(render_diagnosis(diagnosis), Not(HasSubstr("\ndata-parallel group  0")));
  diagnosis.by_data[1].slowdown = 1;
  EXPECT_THAT(render_diagnosis(diagnosis), Not(HasSubstr("\ndata-parallel group")));
  diagnosis.by_stage = {{"0", 1}, {"1", 1}};
  EXPECT_THAT(render_diagnosis(diagnosis), Not(HasSubstr("\npart ")));
}

TEST(DiagnosisReportTest, ALongNameIsWrapped) {
  Diagnosis diagnosis = of_groups(2);
  diagnosis.job = std::string(90, 'a');
  EXPECT_THAT(render_diagnosis(diagnosis), HasSubstr("aaa: 4 GPUs,\n2 stages"));
}

TEST(DiagnosisReportTest, AGroupOfOneRankIsToldAsThatRankAlone) {
  Diagnosis diagnosis = of_groups(2);
  diagnosis.by_data = diagnosis.by_rank;
  EXPECT_THAT(render_diagnosis(diagnosis), Not(HasSubstr("\ndata-parallel group")));
}

TEST(DiagnosisReportTest, TellsTheWorstStepAndRankOfTheReplay) {
  Diagnosis diagnosis = of_groups(2);
  diagnosis.step_error = 0.015;
  EXPECT_THAT(on_one_line(render_diagnosis(diagnosis)),
              HasSubstr("recorded ones by 1.5 % on average, step 8 by 3.0 %. "));
  diagnosis.uses[1].replay_error = 0.02;
  EXPECT_THAT(on_one_line(render_diagnosis(diagnosis)),
              HasSubstr("on average, step 8 by 3.0 %; the ends of rank 1 by 2.0 %. "));
}

// A page, however many ranks there are.
TEST(DiagnosisReportTest, StaysAPage) {
  Diagnosis diagnosis = of_groups(256);
  diagnosis.by_kind.resize(12, {"all-reduce", 1.1});
  diagnosis.by_node.resize(64, {"node", 1.1});
  diagnosis.clocks.hosts.resize(64);
  diagnosis.meetings.resize(64, {.name = "all-reduce", .ranks = {0, 1}});
  EXPECT_LE(std::ranges::count(render_diagnosis(diagnosis), '\n'), 72);
}

TEST(DiagnosisReportTest, TheTitleCountsStagesAndGroupsOfTheJob) {
  Diagnosis diagnosis = of_groups(2);
  diagnosis.job = "a";
  diagnosis.gpus = 8;
  diagnosis.groups = 4;
  EXPECT_THAT(render_diagnosis(diagnosis),
              HasSubstr("a: 8 GPUs, 4 ranks recorded, 2 stages x 4 data-parallel groups"));
}

TEST(DiagnosisReportTest, PartsAreNamedWithoutThreeDots) {
  Diagnosis diagnosis = of_groups(4);
  for (std::uint32_t host = 0; host < 8; ++host)
    diagnosis.clocks.hosts.push_back({.name = fmt::format("rank {}", host), .part = host / 6});
  diagnosis.clocks.parts = 2;
  EXPECT_THAT(on_one_line(render_diagnosis(diagnosis)),
              HasSubstr("Nothing joins the clocks of 2 parts of the job: rank 0, rank 1, rank 2, "
                        "rank 3 and 2 more; rank 6, rank 7."));
}

TEST(DiagnosisReportTest, RowsThatAreLostForGoodAreTold) {
  Diagnosis diagnosis = of_groups(2);
  EXPECT_THAT(render_diagnosis(diagnosis), Not(HasSubstr("lost for good")));
  diagnosis.lost = 3;
  EXPECT_THAT(on_one_line(render_diagnosis(diagnosis)),
              HasSubstr("Rows lost for good: 3 operations that others have"));
}

}  // namespace
}  // namespace stepcast
