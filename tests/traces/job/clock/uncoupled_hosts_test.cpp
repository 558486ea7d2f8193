// Two jobs of one shape in one table.
#include "traces/job/clock/uncoupled_hosts.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "traces/job/operations_csv.hpp"

namespace stepcast {
namespace {

MadeJob made_job(int ranks, int seed) {
  MadeJob made{.ranks = ranks, .steps = 16};
  made.pass = [seed](int rank, int step, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.2 * scatter(rank + 100 * seed, step, batch));
  };
  return made;
}

/// The rows without their heading, ranks counting from this one.
std::string rows_from(const std::string& text, int first) {
  std::string rows;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const int rank = first + text[at] - '0';  // "3,0,3,..": one digit
    rows += std::to_string(rank) + ",0," + std::to_string(rank) + text.substr(at + 5, end - at - 5);
    at = end;
  }
  return rows;
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

}  // namespace
}  // namespace stepcast
