// Excel writes a byte-order mark before a CSV file in UTF-8: whoever reads a file takes it so.
#include "traces/byte_order_mark.hpp"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/formats/chrome_json/byte_source.hpp"
#include "traces/formats/stepcast/slow_downs_file.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/read_job.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

const std::string kMarked(kByteOrderMark);

TEST(ByteOrderMark, IsNoPartOfAText) {
  const TraceFolder folder;
  EXPECT_EQ(read_text_file(folder.text("a.csv", kMarked + "a,b\n")), "a,b\n");
  EXPECT_EQ(head_of(folder.text("b.csv", kMarked + "a,b\n"), 100), "a,b\n");
  EXPECT_EQ(head_of(folder.text("c.csv", kMarked + "a,b\n" + kMarked), 100), "a,b\n" + kMarked);
  const GivenTexts given({{"d.csv", kMarked + "a,b\n"}});
  EXPECT_EQ(read_text_file("d.csv"), "a,b\n");
}

TEST(ByteOrderMark, LeavesATableOfOperationsWhatItIs) {
  const TraceFolder folder;
  const std::filesystem::path marked = folder.text("job.csv", kMarked + MadeJob{.steps = 2}.text());
  ImportReport report;
  const Job job = read_job(std::span(&marked, 1), {}, report);
  EXPECT_EQ(job.ranks.size(), 8U);
}

TEST(ByteOrderMark, LeavesATableOfJobsWhatItIs) {
  const TraceFolder folder;
  const auto jobs = folder.text("jobs.csv", kMarked + "job,dp,pp\nmade,2,4\n");
  EXPECT_EQ(read_job_shape(jobs, "made.csv").pipeline, 4U);
}

TEST(ByteOrderMark, LeavesRecordedSlowDownsWhatTheyAre) {
  const TraceFolder folder;
  const auto file = folder.text("slow.csv", kMarked + "# ours\nstep,rank,factor\n0,0,1\n0,1,2\n");
  EXPECT_EQ(read_slow_downs(file).steps.front().back(), 2);
  EXPECT_EQ(read_slow_downs(file).origin, "ours");
}

}  // namespace
}  // namespace stepcast
