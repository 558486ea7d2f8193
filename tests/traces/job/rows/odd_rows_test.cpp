// Tables with rows that are there twice, that are damaged or of a second job.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/rows/table_rows.hpp"

namespace stepcast {
namespace {

/// The rows of a table without its heading.
std::string rows_of(const std::string& text) {
  return text.substr(text.find('\n') + 1);
}

std::size_t operations_of(const Job& job) {
  std::size_t count = 0;
  for (const JobStep& step : job.steps)
    count += step.operations.size();
  return count;
}

TEST(OddRowsTest, RowsThatAreThereTwiceAreCountedAndLeftOut) {
  const std::string text = MadePipeline{}.text();
  ImportReport report;
  const Job job = read_operations_csv(text, "a.csv", {}, report);
  ImportReport with_twins;
  const std::string rows = rows_of(text);
  const std::string first = rows.substr(0, rows.find('\n') + 1);
  const Job same = read_operations_csv(text + first + first, "a.csv", {}, with_twins);
  EXPECT_TRUE(report.clean());
  ASSERT_EQ(with_twins.skipped().count("row that is there twice"), 1U);
  EXPECT_EQ(with_twins.skipped().at("row that is there twice").count, 2U);
  EXPECT_EQ(operations_of(same), operations_of(job));
  EXPECT_EQ(same.steps[0].meetings.size(), job.steps[0].meetings.size());
}

TEST(OddRowsTest, AnOperationWithOtherTimesIsCountedAndManyAreASecondJob) {
  const std::string text = MadePipeline{}.text();
  OperationRows other;
  other.add(0, 0, 0, 0, "forward-compute", 5, 0.5, 0, 0);
  ImportReport report;
  const Job job = read_operations_csv(text + rows_of(other.text()), "a.csv", {}, report);
  EXPECT_EQ(report.skipped().count("row of an operation that is there with other times"), 1U);
  const MadePipeline slower{.forward = [](int, int, int) { return 0.013; }};
  EXPECT_EQ(input_error_of([&] {
              read_operations_csv(text + rows_of(slower.text()), "a.csv", {}, report);
            }).substr(0, 48),
            "a.csv: expected each operation of a job once, fo");
}

TEST(OddRowsTest, APassOfAMicroBatchThatNobodyElseHasIsLeftOut) {
  OperationRows odd;
  odd.add(0, 0, 0, 0, "forward-compute", 5, 0.5, 99, 99);
  ImportReport report;
  const Job job =
      read_operations_csv(MadePipeline{}.text() + rows_of(odd.text()), "a.csv", {}, report);
  EXPECT_EQ(job.shape.micro_batches, 4U);
  ASSERT_EQ(report.skipped().size(), 1U);
  EXPECT_EQ(report.skipped().begin()->first, "pass of a micro-batch that hardly any rank has");
  EXPECT_EQ(report.skipped().begin()->second.first, "micro-batch 99 in step 0");
}

// A pass of 500 s in a step of 0.2 s, one that begins years later, one that lasts while four others
// run.
TEST(OddRowsTest, RowsOfImpossibleTimesAreCountedAndLeftOut) {
  const char* far = "row whose times are far from all others of its rank";
  const char* covers = "pass during which its rank computes others";
  struct Case {
    double begin;
    double duration;
    const char* what;
  };
  for (const auto& [begin, duration, what] : {Case{0.01, 500, far}, Case{1e8, 0.01, far},
                                              Case{-1e8, 0.01, far}, Case{0.01, 0.13, covers}}) {
    const MadeJob made{.ranks = 4, .micro_batches = 6};
    std::string text = made.text();
    const std::size_t row = text.find("2,0,2,3,forward-compute");
    ASSERT_NE(row, std::string::npos);
    const std::size_t after = text.find(",0,0,0,0\n", row);
    ASSERT_NE(after, std::string::npos);
    text.replace(row, after - row, fmt::format("2,0,2,3,forward-compute,{},{}", begin, duration));
    ImportReport report;
    const Job job = read_operations_csv(text, "a.csv", {}, report);
    ASSERT_EQ(report.skipped().count(what), 1U) << begin;
    EXPECT_EQ(report.skipped().at(what).first, "rank 2, step 3");
    EXPECT_EQ(job.steps.size(), 12U);
    EXPECT_EQ(job.restored, 1U);
    EXPECT_EQ(operations_of(job),
              operations_of(read_operations_csv(made.text(), "a.csv", {}, report)));
  }
}

// It made all other steps such as not all ranks recorded.
TEST(OddRowsTest, ARankOfOneRowIsLeftOut) {
  const MadeJob made{.ranks = 4, .steps = 60};
  OperationRows stray;
  stray.add(59'999, 0, 777, 3, "forward-compute", 0, 0.01, 0, 0);
  ImportReport report;
  const Job job = read_operations_csv(made.text() + rows_of(stray.text()), "a.csv", {}, report);
  EXPECT_EQ(job.ranks.size(), 4U);
  EXPECT_EQ(job.gpus, 4U);
  EXPECT_EQ(job.steps.size(), 60U);
  ASSERT_EQ(report.skipped().count("rank with hardly any row"), 1U);
  EXPECT_EQ(report.skipped().at("rank with hardly any row").first, "rank 777");
}

TEST(OddRowsTest, RanksOfTwoJobsAreRefused) {
  const MadeJob eight{.ranks = 4, .micro_batches = 8};
  std::string text = eight.text();
  OperationRows other;  // A fifth rank, whose job had two micro-batches.
  for (int step = 0; step < eight.steps; ++step)
    for (int batch = 0; batch < 2; ++batch)
      other.add(4, 0, 4, step, "forward-compute", 0.01 * batch, 0.01, batch, batch);
  ImportReport report;
  EXPECT_EQ(input_error_of(
                [&] { read_operations_csv(text + rows_of(other.text()), "a.csv", {}, report); }),
            "a.csv: expected as many micro-batches on each rank of a job, found 2 on rank 4 and 8 "
            "on rank 3: of a second job, or cut off?");
  OperationRows twice;  // Rank 0 at another place.
  for (int batch = 0; batch < 8; ++batch)
    twice.add(7, 0, 0, 0, "forward-compute", 0.01 * batch, 0.01, batch, batch);
  EXPECT_EQ(input_error_of(
                [&] { read_operations_csv(text + rows_of(twice.text()), "a.csv", {}, report); }),
            "a.csv: expected each rank at one place, found rank 0 at stage 0, dp_rank 0 and at "
            "stage 0, dp_rank 7: of a second job?");
}

}  // namespace
}  // namespace stepcast
