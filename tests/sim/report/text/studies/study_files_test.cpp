// The tables that studies write, beside the figures that they hold.
#include <gtest/gtest.h>

#include "sim/report/text/studies/parts_breakdown_report.hpp"

namespace stepcast {
namespace {

TEST(StudyFiles, ABreakdownIsALineForEachPart) {
  EXPECT_EQ(parts_breakdown_csv({.parts = {{"other", Seconds{-0.5}}}}),
            "part,time_s\nother,-0.5\n");
}

}  // namespace
}  // namespace stepcast
