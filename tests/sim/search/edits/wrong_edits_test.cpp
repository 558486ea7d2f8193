// What is said of edits that mean nothing.
#include <gtest/gtest.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/edit_graph.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string error_with(const std::vector<std::string>& edits) {
  return input_error_of([&] {
    std::vector<EditRequest> asked;
    for (const std::string& edit : edits)
      asked.push_back(parse_edit_request(edit));
    EditableStep step;
    step.graphs = {made_graph()};
    step.time = replay_graphs;
    EditedStep result;
    edit_step(step, asked, false, result);
  });
}

// Only verbs were offered.
TEST(WrongEditsTest, RecipesAreOfferedToo) {
  const std::string error = error_with({"mixd-precision"});
  EXPECT_EQ(error.find("expected one of scale, set, "), 0U) << error;
  EXPECT_NE(error.find(", replicate, or a recipe: mixed-precision, "), std::string::npos) << error;
  EXPECT_NE(error.find("found \"mixd-precision\"; did you mean \"mixed-precision\"?"),
            std::string::npos)
      << error;
}

// A key of another verb was named.
TEST(WrongEditsTest, TheKeyOfTheRecipeIsNamed) {
  EXPECT_EQ(error_with({"accumulation passes=2.5"}),
            "accumulation passes=2.5: passes: expected a whole number, such as passes=2, found "
            "\"2.5\"");
  EXPECT_EQ(error_with({"accumulation passes=5000"}),
            "accumulation passes=5000: passes: expected a number from 2 to 4096, such as passes=2, "
            "found \"5000\"");
  EXPECT_EQ(error_with({"bucket-size size=-1"}),
            "bucket-size size=-1: size: expected a size such as \"25MiB\", found \"-1\"");
  EXPECT_EQ(error_with({"bucket-size size=0MiB"}),
            "bucket-size size=0MiB: size: expected a size above zero, found \"0MiB\"");
  EXPECT_EQ(error_with({"fused-optimiser"}),
            "fused-optimiser: merge kind=update,optimizer,optimiser: changes nothing: no two that "
            "it selects follow each other on a stream and may be one");
}

TEST(WrongEditsTest, WhatAnEarlierEditTookAwayIsNoKindAnyMore) {
  EXPECT_EQ(error_with({"remove kind=update", "scale kind=update by=2"}),
            "scale by=2 kind=update: selects nothing; kinds are forward, backward, all-reduce; "
            "there is nothing of update");
}

// It ended for want of memory, or with a step of endless time.
TEST(WrongEditsTest, WhatIsTooLargeIsRefused) {
  EXPECT_EQ(error_with({"repeat times=4096", "repeat times=4096"}),
            "repeat times=4096: the step would have 2e+08 pieces of work: expected fewer copies, "
            "for at most 1e+07");
  EXPECT_EQ(error_with({"repeat times=4096", "replicate ranks=4096"}),
            "replicate ranks=4096: the step would have 1e+08 pieces of work: expected fewer "
            "copies, for at most 1e+07");
  EXPECT_EQ(error_with({"scale by=1e6", "scale by=1e6"}),
            "scale by=1e6: the step would take 6.3e+13 s: expected at most 1e+12 s");
}

// A third of a third.
TEST(WrongEditsTest, AStepIsMadeSoOnce) {
  EXPECT_EQ(error_with({"mixed-precision", "mixed-precision"}),
            "mixed-precision: is there already: expected it once");
  EXPECT_EQ(error_with({"scale by=0.5", "scale by=0.5"}), "no error");
}

}  // namespace
}  // namespace stepcast
