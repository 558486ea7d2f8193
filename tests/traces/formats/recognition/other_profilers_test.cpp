#include "traces/formats/recognition/other_profilers.hpp"

#include <string>

#include <gtest/gtest.h>

#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

using std::string_literals::operator""s;

bool says(std::string_view advice, std::string_view part) {
  return advice.find(part) != std::string_view::npos &&
         advice.find("export_chrome_trace") != std::string_view::npos;
}

TEST(OtherProfilers, NsightSystemsIsNamedWithHowToExport) {
  EXPECT_TRUE(says(profiler_advice("a.nsys-rep", "\x01\x02"), "nsys export --type=sqlite"));
  EXPECT_TRUE(says(profiler_advice("a.sqlite",
                                   "SQLite format 3\0 ... CREATE TABLE "
                                   "CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER"s),
                   "is an export of Nsight Systems"));
  EXPECT_TRUE(says(profiler_advice("a.csv", "Start (ns),Duration (ns),CorrId\n1,2,3\n"),
                   "is an export of Nsight Systems"));
}

// Its list of events has no categories, as Horovod's timeline has none.
TEST(OtherProfilers, PyTorchWithoutKinetoIsNamed) {
  const std::string_view trace =
      R"([{"name": "aten::linear", "ph": "X", "ts": 200, "dur": 2500, "tid": 1, "pid": "CPU functions", "args": {}}])";
  EXPECT_TRUE(says(profiler_advice("a.json", trace), "torch.autograd.profiler without Kineto"));
  EXPECT_FALSE(horovod_timeline_reader().sniff(trace));
  EXPECT_TRUE(horovod_timeline_reader().sniff(
      R"([{"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "conv1.weight"}},)"));
}

TEST(OtherProfilers, RocprofIsNamed) {
  EXPECT_TRUE(says(profiler_advice("a.db", "SQLite format 3\0 CREATE TABLE rocpd_kernel"s),
                   "is an output of rocprof"));
  EXPECT_TRUE(says(profiler_advice("a.json", R"({"rocprofiler-sdk-tool": [{"metadata")"),
                   "is an output of rocprof"));
  EXPECT_TRUE(says(profiler_advice("a.csv", R"("Index","KernelName","gpu-id","queue-id")"),
                   "is an output of rocprof"));
  EXPECT_TRUE(says(profiler_advice("a.csv", R"("Kind","Agent_Id","Queue_Id","Kernel_Name")"),
                   "is an output of rocprof"));
  EXPECT_TRUE(
      says(profiler_advice("a.json", R"({"traceEvents":[{},{"args":{"name":"1 CPU HIP API"})"),
           "is an output of rocprof"));
}

TEST(OtherProfilers, AnotherDatabaseIsCalledOne) {
  EXPECT_TRUE(says(profiler_advice("a.db", "SQLite format 3\0 CREATE TABLE cats"s),
                   "is an SQLite database"));
}

TEST(OtherProfilers, OtherFilesAreNone) {
  EXPECT_EQ(profiler_advice("a.json", R"({"traceEvents": [{"cat": "kernel"}]})"), "");
  EXPECT_EQ(profiler_advice("a.txt", "node1 -- Input0 -- forward_compute_time=0.0"), "");
  EXPECT_EQ(profiler_advice("a", ""), "");
}

}  // namespace
}  // namespace stepcast
