// Two jobs of one shape in one table.
#include "traces/job/clock/uncoupled_hosts.hpp"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/published_jobs.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

MadeJob made_job(int ranks, int seed) {
  MadeJob made{.ranks = ranks, .steps = 16};
  made.pass = [seed](int rank, int step, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.2 * scatter(rank + 100 * seed, step, batch));
  };
  return made;
}

/// The rows without their heading, of other data-parallel ranks and steps.
std::string rows_of(
    const std::string& text, const std::function<int(int)>& data,
    const std::function<int(int)>& step = [](int number) { return number; }) {
  std::string rows;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    std::istringstream cells(text.substr(at, end - at));
    std::vector<std::string> of(4);
    for (std::string& cell : of)
      std::getline(cells, cell, ',');
    std::string rest;
    std::getline(cells, rest);
    const int stage = std::stoi(of[1]);
    const int to = data(std::stoi(of[0]));
    rows +=
        fmt::format("{},{},{},{},{}\n", to, stage, to + 100 * stage, step(std::stoi(of[3])), rest);
    at = end;
  }
  return rows;
}

std::string rows_from(const std::string& text, int first) {
  return rows_of(text, [first](int data) { return first + data; });
}

std::string heading() {
  return OperationRows().text();
}

Job read(const std::string& text) {
  ImportReport report;
  return read_operations_csv(text, "job.csv", {}, report);
}

TEST(UncoupledHostsTest, RanksOfASecondJobAreTold) {
  for (int seed = 1; seed <= 4; ++seed) {
    Job job = read(made_job(4, seed).text() + rows_from(made_job(3, seed + 10).text(), 4));
    const JobClocks clocks = put_on_one_clock(job);
    EXPECT_EQ(clocks.uncoupled, (std::vector<std::uint32_t>{4, 5, 6})) << seed;
  }
}

TEST(UncoupledHostsTest, RanksOfOneJobAreCoupled) {
  for (int seed = 1; seed <= 4; ++seed) {
    Job job = read(made_job(7, seed).text());
    EXPECT_TRUE(put_on_one_clock(job).uncoupled.empty()) << seed;
  }
}

// Those that arrive early wait for the others, whatever their clocks say.
TEST(UncoupledHostsTest, ClocksThatMoveFromStepToStepAreOfOneJob) {
  for (int seed = 1; seed <= 4; ++seed) {
    Job job = read(made_job(7, seed).text());
    for (std::size_t step = 0; step < job.steps.size(); ++step)
      for (JobOperation& done : job.steps[step].operations)
        for (Seconds* time : {&done.begin, &done.end})
          *time += Seconds{done.rank < 4 ? 0.0 : 0.01 * scatter(seed, static_cast<int>(step))};
    EXPECT_TRUE(put_on_one_clock(job).uncoupled.empty()) << seed;
  }
}

/// Two jobs of four ranks, of which each second rank is the other one's.
JobClocks in_turn(
    const MadeJob& one, const MadeJob& other,
    const std::function<int(int)>& step = [](int number) { return number; }) {
  Job job = read(heading() + rows_of(one.text(), [](int data) { return 2 * data; }) +
                 rows_of(
                     other.text(), [](int data) { return 2 * data + 1; }, step));
  return put_on_one_clock(job);
}

const std::vector<std::uint32_t> kOdd = {1, 3, 5, 7};

// The other's steps end as if one were played from the last to the first.
TEST(UncoupledHostsTest, JobsAreTwoWhateverTheOrderOfRanksAndSteps) {
  for (int seed = 1; seed <= 4; ++seed) {
    EXPECT_EQ(in_turn(made_job(4, seed), made_job(4, seed + 10)).uncoupled, kOdd) << seed;
    EXPECT_EQ(
        in_turn(made_job(4, seed), made_job(4, seed), [](int step) { return 15 - step; }).uncoupled,
        kOdd)
        << seed;
  }
}

// It takes a tenth longer in every step. It was told that the host held up the job.
TEST(UncoupledHostsTest, AJobWithAPaceOfItsOwnIsASecondOne) {
  const MadeJob one{.ranks = 4, .steps = 16};
  MadeJob other = one;
  other.pass = [](int, int, int, bool forward) { return forward ? 0.011 : 0.022; };
  EXPECT_EQ(in_turn(one, other).uncoupled, kOdd);
}

// The hosts of every second rank let it begin 30 ms late; the others wait.
TEST(UncoupledHostsTest, RanksThatBeginLateAreOfOneJob) {
  for (int seed = 1; seed <= 4; ++seed) {
    MadeJob made = made_job(8, seed);
    made.pause = [](int rank, int, int batch) { return rank % 2 == 1 && batch == 0 ? 0.03 : 0; };
    Job job = read(made.text());
    EXPECT_TRUE(put_on_one_clock(job).uncoupled.empty()) << seed;
  }
}

// What a rank seems to begin with is not what the others begin with.
TEST(UncoupledHostsTest, RanksWhoseFirstWorkIsLostAreOfOneJob) {
  std::string text = heading();
  const std::string whole = made_job(6, 1).text();
  for (std::size_t at = text.size(); at < whole.size();) {
    const std::size_t end = whole.find('\n', at) + 1;
    const std::string row = whole.substr(at, end - at);
    if (!row.starts_with("2,") || row.find("forward") == std::string::npos)
      text += row;
    at = end;
  }
  Job job = read(text);
  EXPECT_TRUE(put_on_one_clock(job).uncoupled.empty());
}

MadePipeline made_pipeline(double longer, int seed) {
  MadePipeline made{.stages = 3,
                    .copies = 2,
                    .micro_batches = 4,
                    .steps = 12,
                    .message = 0.001,
                    .gather = 0.002,
                    .sum = 0.004,
                    .norm = 0.001};
  made.forward = [=](int stage, int copy, int step) {
    return longer * 0.01 * (1 + 0.02 * scatter(stage + 10 * seed, copy, step));
  };
  made.backward = [=](int stage, int copy, int step) {
    return 2 * made.forward(stage, copy, step);
  };
  return made;
}

// Stages of a job are apart, too, but messages go between them.
TEST(UncoupledHostsTest, PipelinesSideBySideAreToldByTheirStages) {
  for (int seed = 1; seed <= 4; ++seed)
    for (const double longer : {1.0, 1.2}) {
      const std::string one = made_pipeline(1, seed).text();
      const std::string other = made_pipeline(longer, seed + 10).text();
      Job job = read(heading() + rows_of(one, [](int data) { return 3 - 3 * data; }) +
                     rows_of(other, [](int data) { return 1 + data; }));
      const std::vector<std::uint32_t> middle = {1, 2, 5, 6, 9, 10};
      EXPECT_EQ(put_on_one_clock(job).uncoupled, middle) << seed << " " << longer;
      Job whole = read(one);
      EXPECT_TRUE(put_on_one_clock(whole).uncoupled.empty()) << seed;
    }
}

// Every second copy's steps are another's. Stages of ST differ by as much as its steps.
TEST(UncoupledHostsTest, TwoJobsOfStAreTold) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const std::string text = text_of(file_stream(jobs_folder() / "ST.csv.gz"));
  Job whole = read(text);
  EXPECT_TRUE(put_on_one_clock(whole).uncoupled.empty());
  std::vector<int> steps;
  for (const JobStep& step : whole.steps)
    steps.push_back(std::stoi(step.name));
  const auto reversed = [&](int step) {
    return steps[steps.size() - 1 -
                 static_cast<std::size_t>(std::ranges::find(steps, step) - steps.begin())];
  };
  for (const int first : {0, 1}) {
    const std::string heading_of_st = text.substr(0, text.find('\n') + 1);
    Job job = read(heading_of_st + rows_of(text, [=](int data) { return 2 * data + first; }) +
                   rows_of(
                       text, [=](int data) { return 2 * data + 1 - first; }, reversed));
    EXPECT_EQ(put_on_one_clock(job).uncoupled,
              (std::vector<std::uint32_t>{1, 3, 5, 7, 9, 11, 13, 15}))
        << first;
  }
}

}  // namespace
}  // namespace stepcast
