#include "sim/report/text/measured/rank_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

Diagnosis of_ranks(std::uint32_t count) {
  Diagnosis diagnosis{.recorded_step = Seconds{0.1}};
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    diagnosis.ranks.push_back({.number = rank, .data = rank});
    diagnosis.uses.push_back(
        {.rank = rank, .slowdown = 1 + 0.01 * rank, .computing = Seconds{0.09}});
  }
  return diagnosis;
}

TEST(RankTableTest, ColumnsInWhichNobodyHasAnythingAreLeftOut) {
  Diagnosis diagnosis = of_ranks(2);
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("rank  slow-down  computing\n"));
  diagnosis.uses[1].communicating = Seconds{0.02};
  diagnosis.uses[1].exposed = Seconds{0.01};
  diagnosis.uses[0].short_kernels = 0.0;
  EXPECT_THAT(render_ranks(diagnosis),
              HasSubstr("rank  slow-down  computing   comm  exposed  overlap\n"));
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("20.00    10.00   50.0 %\n"));
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("90.00   0.00     0.00        -\n"));
}

TEST(RankTableTest, DevicesAreShownAsFarAsProfilesTellOfThem) {
  Diagnosis diagnosis = of_ranks(2);
  diagnosis.ranks[1].device = {
      .queued = 3.25, .queue_empty = 0.125, .allocated = Bytes{3221225472}, .reserved = {}};
  const std::string text = render_ranks(diagnosis);
  EXPECT_THAT(text, HasSubstr("rank  slow-down  computing  queued  no queue  allocated\n"));
  EXPECT_THAT(text, HasSubstr("90.00     3.2    12.5 %      3 GiB\n"));
  EXPECT_THAT(text, HasSubstr("90.00       -         -          -\n"));
}

TEST(RankTableTest, OfManyRanksTheSlowestAreShown) {
  const std::string text = render_ranks(of_ranks(64));
  EXPECT_THAT(text, HasSubstr("\n63       1.6300"));
  EXPECT_THAT(text, HasSubstr("and 56 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n55 ")));
}

TEST(RankTableTest, AllColumnsAtOnceFitATerminal) {
  Diagnosis diagnosis = of_ranks(2);
  diagnosis.stages = 2;
  diagnosis.recorded_step = Seconds{20};
  for (Seconds RankUse::*time :
       {&RankUse::computing, &RankUse::communicating, &RankUse::exposed, &RankUse::copies,
        &RankUse::waiting, &RankUse::idle_for_host, &RankUse::other, &RankUse::holding})
    diagnosis.uses[0].*time = Seconds{12.3456};
  diagnosis.uses[0].exposed = Seconds{1};
  diagnosis.uses[0].short_kernels = 12345;
  const std::string text = render_ranks(diagnosis);
  EXPECT_THAT(text, HasSubstr("12345.6"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, report_width());
    begin = end + 1;
  }
}

}  // namespace
}  // namespace stepcast
