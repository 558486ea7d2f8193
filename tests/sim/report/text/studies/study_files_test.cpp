// The tables that studies write, beside the figures that they hold.
#include <gtest/gtest.h>

#include "sim/report/text/studies/parts_breakdown_report.hpp"
#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {
namespace {

TEST(StudyFiles, ScalingIsALineForEachCurveAndSize) {
  const Scaling scaling{.workload = "w",
                        .sizes = {{1, 4}, {2, 4}},
                        .curves = {{"c", "dear", {Seconds{0.25}, Seconds{0.5}}},
                                   {"c, the other", "ddp", {Seconds{1}, Seconds{1.5}}}}};
  EXPECT_EQ(scaling_csv(scaling),
            "cluster,schedule,nodes,gpus_per_node,gpus,iteration_time_s\n"
            "c,dear,1,4,4,0.25\n"
            "c,dear,2,4,8,0.5\n"
            "\"c, the other\",ddp,1,4,4,1\n"
            "\"c, the other\",ddp,2,4,8,1.5\n");
}

TEST(StudyFiles, ABreakdownIsALineForEachPart) {
  const PartsBreakdown breakdown{.parts = {{"ff-bp", Seconds{0.125}}, {"other", Seconds{-0.5}}}};
  EXPECT_EQ(parts_breakdown_csv(breakdown), "part,time_s\nff-bp,0.125\nother,-0.5\n");
}

}  // namespace
}  // namespace stepcast
