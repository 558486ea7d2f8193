// What bounds the step of a made pipeline.
#include <string>

#include <gtest/gtest.h>

#include "sim/jobs/edits/job_steps.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

// A receive waits for no pass of its own rank, but was asked for behind it: what lay between was
// told as waiting, 23 % of this path.
TEST(PipelineBoundTest, AReceiveAskedForLateIsBoundByThePassBefore) {
  const MadePipeline made{.micro_batches = 8, .message = 0.001, .asked_late = true};
  const Job job = table_job(made.text());
  EditedStep step;
  edit_step(editable_steps(job).step, {}, false, step);
  EXPECT_EQ(step.bound_by.find("waiting"), std::string::npos) << step.bound_by;
  EXPECT_NE(step.bound_by.find("backward-compute"), std::string::npos) << step.bound_by;
}

}  // namespace
}  // namespace stepcast
