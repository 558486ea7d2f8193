// The tables that studies write, beside the figures that they hold.
#include <gtest/gtest.h>

#include "sim/report/text/studies/parts_breakdown_report.hpp"
#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {
namespace {

TEST(StudyFiles, ScalingIsALineForEachCurveAndSize) {
  EXPECT_EQ(scaling_csv_head(),
            "cluster,schedule,nodes,gpus_per_node,gpus,iteration_time_s,"
            "iteration_time_low_s,iteration_time_high_s\n");
  EXPECT_EQ(scaling_csv_row({"c", "dear", {2, 4}, Seconds{0.5}}), "c,dear,2,4,8,0.5,,\n");
  EXPECT_EQ(
      scaling_csv_row({"c, the other", "ddp", {1, 4}, Seconds{1}, Seconds{0.75}, Seconds{1.5}}),
      "\"c, the other\",ddp,1,4,4,1,0.75,1.5\n");
}

TEST(StudyFiles, ACurveThatWasCutShortHasEmptyCells) {
  const Scaling scaling{
      .workload = "w",
      .sizes = {{1, 4}, {2, 4}},
      .curves = {{"c", "dear", {Seconds{0.25}, Seconds{0.5}}}, {"d", "dear", {Seconds{1}}}}};
  const std::string text = render_scaling(scaling);
  EXPECT_NE(text.find("c        dear          250.0      500.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("d        dear         1000.0\n"), std::string::npos) << text;
}

TEST(StudyFiles, ABreakdownIsALineForEachPart) {
  EXPECT_EQ(parts_breakdown_csv_head(), "part,time_s\n");
  EXPECT_EQ(parts_breakdown_csv_row({"other", Seconds{-0.5}}), "other,-0.5\n");
}

}  // namespace
}  // namespace stepcast
