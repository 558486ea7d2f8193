#include "models/base/statistics.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/units.hpp"

namespace stepcast {
namespace {

TEST(Statistics, MedianIsTheMiddleValueOfAnOddCount) {
  EXPECT_DOUBLE_EQ(median_of<double>({9, 1, 4}), 4);
}

TEST(Statistics, MedianIsTheMeanOfTheTwoMiddleValuesOfAnEvenCount) {
  EXPECT_DOUBLE_EQ(median_of<double>({9, 1, 4, 5}), 4.5);  // (4 + 5) / 2
}

TEST(Statistics, MedianIsThatOfTheSortedValues) {
  std::vector<double> values;
  for (int count = 1; count <= 60; ++count) {
    values.push_back(count * 37 % 23 * 0.1);
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    EXPECT_EQ(median_of(values), quantile_of_sorted(sorted, 0.5)) << count;
  }
}

TEST(Statistics, MedianKeepsTheUnit) {
  EXPECT_EQ(median_of<Seconds>({Seconds{3}, Seconds{1}, Seconds{2}}), Seconds{2});
}

TEST(Statistics, QuantileLiesOnTheLineBetweenNeighbours) {
  // A quarter of the way over three gaps: 0.75 gaps from the first value.
  EXPECT_DOUBLE_EQ(quantile_of_sorted<double>({0, 4, 8, 12}, 0.25), 3);
  EXPECT_DOUBLE_EQ(quantile_of_sorted<double>({0, 4, 8, 12}, 1), 12);
}

TEST(Statistics, SummaryForgetsTheSignsOfErrors) {
  const ErrorSummary summary = summary_of({0.1, -0.5, 0.2, 0.3});
  EXPECT_EQ(summary.cases, 4U);
  EXPECT_DOUBLE_EQ(summary.median, 0.25);  // (0.2 + 0.3) / 2
  EXPECT_DOUBLE_EQ(summary.worst, 0.5);
}

TEST(Statistics, NoErrorsSumUpToZero) {
  const ErrorSummary none = summary_of({});
  EXPECT_EQ(none.cases, 0U);
  EXPECT_DOUBLE_EQ(none.worst, 0);
}

}  // namespace
}  // namespace stepcast
