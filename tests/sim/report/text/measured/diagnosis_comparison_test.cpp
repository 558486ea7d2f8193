#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/text/measured/diagnosis_report.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

Diagnosis of_ranks(std::vector<double> slowdowns) {
  Diagnosis diagnosis{.recorded_step = Seconds{0.1},
                      .undelayed_step = Seconds{0.1},
                      .ideal_step = Seconds{0.1},
                      .verdict = {.kind = VerdictKind::None, .text = "Nobody."}};
  for (std::uint32_t rank = 0; rank < slowdowns.size(); ++rank) {
    diagnosis.ranks.push_back({.number = rank});
    diagnosis.by_rank.push_back({std::to_string(rank), slowdowns[rank]});
    diagnosis.uses.push_back({.rank = rank});
  }
  return diagnosis;
}

TEST(DiagnosisComparisonTest, TellsBothVerdicts) {
  Diagnosis slow = of_ranks({1, 1.3});
  slow.verdict = {.kind = VerdictKind::Worker, .subject = "rank 1", .text = "Slow."};
  EXPECT_THAT(render_comparison(of_ranks({1, 1}), slow),
              HasSubstr("verdict                  worker: rank 1       none"));
}

// Rank 5 becomes 30 % slower, ranks 1 to 4 less so, rank 0 not at all.
TEST(DiagnosisComparisonTest, OfTheRanksThoseThatMovedMostAreShown) {
  const std::string text =
      render_comparison(of_ranks({1, 1.01, 1.02, 1.03, 0.96, 1.3}), of_ranks({1, 1, 1, 1, 1, 1}));
  EXPECT_THAT(text, HasSubstr("+30.0 %\nalone: rank 4"));
  EXPECT_THAT(text, HasSubstr("-4.0 %\nalone: rank 3"));
  EXPECT_THAT(text, HasSubstr("alone: rank 2"));
  EXPECT_THAT(text, Not(HasSubstr("alone: rank 1")));
  EXPECT_THAT(text, Not(HasSubstr("alone: rank 0")));
}

TEST(DiagnosisComparisonTest, TellsWhatTheMeanRankWaitsAndExposes) {
  Diagnosis now = of_ranks({1, 1});
  now.uses[0].waiting = Seconds{0.04};
  now.uses[1].exposed = Seconds{0.01};
  Diagnosis before = of_ranks({1, 1});
  before.uses[1].waiting = Seconds{0.01};
  const std::string text = render_comparison(now, before);
  EXPECT_THAT(text, HasSubstr("5.00 ms   20.00 ms    +300.0 %\n"));
  EXPECT_THAT(text, HasSubstr("0.00 ms    5.00 ms           -\n"));
}

// 1 us of two ranks becomes 1.2 us, which no column shows.
TEST(DiagnosisComparisonTest, WhatIsShownAsAlikeHasNotChanged) {
  Diagnosis now = of_ranks({1, 1});
  now.uses[0].idle_for_host = Seconds{2.4e-6};
  Diagnosis before = of_ranks({1, 1});
  before.uses[0].idle_for_host = Seconds{2e-6};
  const std::string text = render_comparison(now, before);
  EXPECT_THAT(text, HasSubstr("idle for host of a rank    0.00 ms    0.00 ms       0.0 %\n"));
}

}  // namespace
}  // namespace stepcast
