// Layouts of one model that others ran and timed.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "sim/study/validate/cases/cases.hpp"
#include "tests/support/recorded_data.hpp"

namespace stepcast {
namespace {

/// Kendall's tau-b of forecast and measurement: pairs in the same order less those in the other.
double kendall(const std::vector<PredictedCase>& cases) {
  double same = 0;
  double other = 0;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t j = i + 1; j < cases.size(); ++j) {
      const double both = (cases[i].predicted - cases[j].predicted).value *
                          (cases[i].row.measured - cases[j].row.measured).value;
      same += both > 0 ? 1 : 0;
      other += both < 0 ? 1 : 0;
    }
  return (same - other) / (same + other);
}

// 15 layouts of a GPT of 3.6B on 64 A100: 1 to 16 tensor ranks, 1 or 2 stages, micro-batches of 2
// to 32.
TEST(MeasuredSweep, TheLayoutForecastBestIsTheBestMeasured) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  const auto path = recorded_data("llm/vtrain-multi.csv");
  STEPCAST_SKIP_WITHOUT(path);
  const CaseResults results = predict_cases(read_cases(path), {}, [] {});
  ASSERT_EQ(results.cases.size(), 15U);
  const auto by_forecast = std::ranges::min_element(results.cases, {}, &PredictedCase::predicted);
  const auto best = std::ranges::min_element(
      results.cases, {}, [](const PredictedCase& each) { return each.row.measured; });
  EXPECT_LE(by_forecast->row.measured / best->row.measured, 1.01);
  EXPECT_GE(kendall(results.cases), 0.8);
}

}  // namespace
}  // namespace stepcast
