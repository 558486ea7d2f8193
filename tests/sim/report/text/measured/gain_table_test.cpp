#include "sim/report/text/measured/gain_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GainTableTest, SaysWhatAStepTakesInstead) {
  Diagnosis diagnosis{.ranks = {{.number = 4}},
                      .simulated_step = Seconds{0.2},
                      .undelayed_step = Seconds{0.1},
                      .worst_ranks = {.ranks = {0}}};
  diagnosis.gains.no_host_gaps = Seconds{0.1};
  diagnosis.gains.even_ranks = Seconds{0.075};
  const std::string text = render_gains(diagnosis);
  EXPECT_THAT(text, HasSubstr(" 100.00      200.00   50.0 %\n"));
  EXPECT_THAT(text, HasSubstr("no straggler: rank 4 as others    75.00      100.00   25.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("evenly over the stages")));
  EXPECT_THAT(text, Not(HasSubstr("in no time")));
  EXPECT_THAT(text, Not(HasSubstr("larger buckets")));
  diagnosis.gains.larger_buckets = {
      .size = Bytes{52428800}, .now = Seconds{0.2}, .step = Seconds{0.18}};
  EXPECT_THAT(render_gains(diagnosis),
              HasSubstr("larger buckets, of 50 MiB or more   180.00      200.00   10.0 %\n"));
}

}  // namespace
}  // namespace stepcast
