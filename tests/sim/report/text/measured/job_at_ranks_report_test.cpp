#include "sim/report/text/measured/job_at_ranks_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;

std::string text_of(double even, double uneven, const std::string& doubt = "") {
  JobAtRanks result{.job = "job", .recorded_gpus = 2, .recorded_step = Seconds{1}};
  result.size = {.cluster = ideal_cluster(2, 1), .schedule = "1f1b"};
  result.even_step = Seconds{even};
  result.step = Seconds{uneven};
  result.spread.seeds = 3;
  result.doubt = doubt;
  return render_job_at_ranks("job.csv", result);
}

TEST(JobAtRanksReport, SaysWhatUnevenRanksCost) {
  EXPECT_THAT(text_of(2, 2.05), HasSubstr("Uneven ranks cost 2.5 %: a mean over 3 seeds"));
}

TEST(JobAtRanksReport, SaysWhyUnevenRanksMayTakeLess) {
  EXPECT_THAT(text_of(2, 1.99),
              HasSubstr("Uneven ranks take 0.5 % less, as not all send at once: a mean"));
}

TEST(JobAtRanksReport, BeginsWithItsDoubt) {
  EXPECT_EQ(text_of(2, 2, "it misses").find("Doubtful: it misses.\njob.csv: 1f1b on 2"), 0U);
}

}  // namespace
}  // namespace stepcast
