// Edits of recorded steps of servers and rings.
#include <gtest/gtest.h>

#include "sim/jobs/edits/job_steps.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/made_communication_jobs.hpp"

namespace stepcast {
namespace {

TEST(ServerEditsTest, EditsReplayTheRecordedStep) {
  EditedStep result;
  edit_step(editable_steps(job_of(MadeServers())).step,
            {parse_edit_request("scale kind=SUM by=0.5")}, false, result);
  EXPECT_NEAR(result.step_before.value, MadeServers().files().last_step * 1e-6, 1e-6);
  EXPECT_LT(result.step_after, result.step_before);
}

// A faster network makes the operation shorter, not the negotiation.
TEST(RingEditsTest, NegotiationIsApartFromTheOperation) {
  EditedStep result;
  edit_step(editable_steps(job_of(MadeRings(), false)).step,
            {parse_edit_request("set kind=NCCL_ALLREDUCE time=0s")}, false, result);
  // Behind the fourth tensor: 400 us of negotiation and two copies of 50.
  EXPECT_NEAR(result.step_after.value, 0.012 + 0.0005, 1e-6);
}

}  // namespace
}  // namespace stepcast
