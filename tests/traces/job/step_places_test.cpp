#include "traces/job/step_places.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Job read(const std::string& text) {
  ImportReport report;
  return read_operations_csv(text, "job.csv", {}, report);
}

constexpr double kStep = 0.3;  // Seconds from one begin to the next.

/// Rank 1 gains 20 ppm. The first step begins at `zero`; or each does.
std::string table(double zero, bool through) {
  OperationRows rows;
  for (int step = 0; step < 40; ++step)
    for (int rank = 0; rank < 3; ++rank) {
      const auto local = [&](double t) { return t * (1 + (rank == 1 ? 20e-6 : 0)); };
      const double before = step * kStep;
      const auto add = [&](const char* type, double begin, double end, int batch) {
        const double at = local(before + begin) + zero - (through ? 0 : before);
        rows.add(rank, 0, rank, step, type, at, local(end - begin), 0, batch);
      };
      add("forward-compute", 0, 0.1 + 0.01 * scatter(rank, step), 0);
      add("grads-all-reduce", 0.12, 0.2, -1);
      add("optimizer", 0.2, kStep, -1);
    }
  return rows.text();
}

// With times that count through and steps that were placed by their numbers as well, twice as long
// seemed to have passed: half the drift.
TEST(StepPlacesTest, DriftsAreThoseOfTheTimesThatPassed) {
  for (const double zero : {0.0, 5000.0, 1.7e9})
    for (const bool through : {false, true}) {
      if (zero > 0 && !through)
        continue;
      Job job = read(table(zero, through));
      for (std::size_t step = 0; step < job.steps.size(); ++step)
        EXPECT_NEAR(job.steps[step].begin.value, static_cast<double>(step) * kStep, 1e-3);
      const JobClocks clocks = put_on_one_clock(job);
      EXPECT_NEAR(clocks.hosts[1].drift, 20e-6, 5e-7) << zero << through;
      EXPECT_EQ(clocks.hosts[2].drift, 0) << zero << through;
    }
}

TEST(StepPlacesTest, TimesInMillisecondsSince1970AreRefused) {
  EXPECT_EQ(
      input_error_of([] { read(table(1.7e12, true)); }).substr(0, 89),
      "job.csv:2: start_ts: expected seconds since the step, the run or 1970 began, at most 1e10");
}

}  // namespace
}  // namespace stepcast
