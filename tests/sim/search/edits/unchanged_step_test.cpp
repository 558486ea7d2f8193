// Edits that leave a step as it was.
#include <gtest/gtest.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/edit_graph.hpp"
#include "tests/support/edited_pipeline.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

EditedStep edited_with(const std::vector<std::string>& edits) {
  EditableStep step;
  step.graphs = {made_graph()};
  step.time = replay_graphs;
  std::vector<EditRequest> asked;
  for (const std::string& edit : edits)
    asked.push_back(parse_edit_request(edit));
  EditedStep result;
  edit_step(step, asked, false, result);
  return result;
}

// They were accepted as edits that gain nothing.
TEST(UnchangedStepTest, WhatChangesNothingIsToldSo) {
  for (const std::string edit :
       {"split parts=1 work=communication", "scale by=1", "scale by=0 of=delay", "cuda-graphs",
        "repeat times=1", "set kind=forward time=10s", "move on=compute work=compute",
        "reorder by=name name=forward"}) {
    const EditedStep step = edited_with({edit});
    EXPECT_TRUE(step.accepted.empty()) << edit;
    EXPECT_EQ(step.tried, 1U) << edit;
    EXPECT_EQ(step.simulated, 1U) << edit;
    ASSERT_EQ(step.notes.size(), 1U) << edit;
    EXPECT_EQ(step.notes.front(),
              '"' + parse_edit_request(edit).text + "\" changes nothing of the step");
  }
}

TEST(UnchangedStepTest, OtherEditsGoOn) {
  const EditedStep step = edited_with({"scale by=1", "scale by=0.5 kind=update"});
  ASSERT_EQ(step.accepted.size(), 1U);
  EXPECT_EQ(step.accepted.front().gain, Seconds{2.5});
  EXPECT_EQ(step.notes.size(), 1U);
}

TEST(UnchangedStepTest, OfPlansToo) {
  const EditedStep step = EditedPipeline().edited_by({"scale by=1 kind=forward", "split parts=1"});
  EXPECT_TRUE(step.accepted.empty());
  EXPECT_EQ(std::ranges::count_if(step.notes,
                                  [](const std::string& note) {
                                    return note.find("changes nothing") != std::string::npos;
                                  }),
            2);
}

// Computation has no priorities: such a selection means nothing.
TEST(UnchangedStepTest, WhatIsNeededFirstAreCommunications) {
  EXPECT_EQ(
      input_error_of([] { edited_with({"reorder by=need work=compute"}); }),
      "reorder by=need work=compute: no communication is needed in the step before one that is "
      "ahead of it on its stream");
}

}  // namespace
}  // namespace stepcast
