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
  diagnosis.gains.even_ranks = Seconds{0.075};
  const std::string text = render_gains(diagnosis);
  EXPECT_THAT(text, HasSubstr(" 100.00      200.00   50.0 %\n"));
  EXPECT_THAT(text, HasSubstr("no straggler: rank 4 as others    75.00      100.00   25.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("even stages")));
  EXPECT_THAT(text, Not(HasSubstr("in no time")));
}

}  // namespace
}  // namespace stepcast
