// A step of two ranks, in seconds: forward 10, backward 20 and 20, an all-reduce of 8 behind each,
// an update of 5 behind both. 0-10, 10-30, 30-50; 30-38, 50-58; 58-63.
#include "models/graph/edit/graph_edit.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/edit_graph.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

WorkGraph after(const std::string& edit, const WorkGraph& graph = made_graph()) {
  return apply(graph_edit_of_text(edit), graph, {}).graph;
}

double step_after(const std::string& edit, const WorkGraph& graph = made_graph()) {
  return last_end(after(edit, graph));
}

TEST(GraphEditTest, PatternsHaveStarsAndQuestionMarks) {
  EXPECT_TRUE(matches("*gemm*", "ampere_gemm_f16"));
  EXPECT_TRUE(matches("layer?.conv", "layer3.conv"));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches("a*b", "a-b-c"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_TRUE(matches("**", ""));
}

TEST(GraphEditTest, TheStepAsItIs) {
  EXPECT_DOUBLE_EQ(last_end(made_graph()), 63);
}

TEST(GraphEditTest, ScaledAndSetTimes) {
  EXPECT_DOUBLE_EQ(step_after("scale kind=forward by=0.5"), 58);
  EXPECT_DOUBLE_EQ(step_after("scale kind=forward by=1/2"), 58);
  EXPECT_DOUBLE_EQ(step_after("scale layer=second by=0"), 43);
  EXPECT_DOUBLE_EQ(step_after("set kind=update time=1s"), 59);
  EXPECT_DOUBLE_EQ(step_after("set kind=forward delay=3s"), 66);
}

// Both ranks meet in the all-reduces: one that is slower holds up the other.
TEST(GraphEditTest, OneRankHoldsUpAll) {
  EXPECT_DOUBLE_EQ(step_after("scale rank=1 kind=forward by=3"), 83);
  EXPECT_DOUBLE_EQ(step_after("scale rank=0-1 kind=forward by=3"), 83);
}

TEST(GraphEditTest, StreamsThatAreNotThereAreToldFromThoseThatAre) {
  const std::string error = input_error_of([] { after("scale stream=7 by=3", made_graph()); });
  const std::size_t streams = error.find("; streams are ");
  ASSERT_NE(streams, std::string::npos) << error;
  for (const WorkStream& stream : made_graph().streams)
    EXPECT_NE(error.find(stream.name, streams), std::string::npos) << error;
}

// Each rank a stage: the same by either word.
TEST(GraphEditTest, StagesAreSelectedAsRanksAre) {
  WorkGraph graph = made_graph();
  graph.stages = {0, 1};
  EXPECT_DOUBLE_EQ(step_after("scale stage=1 kind=forward by=3", graph), 83);
  EXPECT_EQ(input_error_of([&] { after("scale stage=2 by=3", graph); }),
            "scale by=3 stage=2: selects nothing; kinds are forward, backward, all-reduce, update; "
            "stages are 0 to 1");
  graph.stages.clear();
  EXPECT_EQ(input_error_of([&] { after("scale stage=0 by=3", graph); }),
            "scale by=3 stage=0: stage: this step has no stages: expected a pipeline's");
}

// Without the second all-reduce the update waits for what that one waited for.
TEST(GraphEditTest, WhatWaitedForARemovedNodeWaitsForWhatThatWaitedFor) {
  EXPECT_DOUBLE_EQ(step_after("remove layer=second kind=all-reduce"), 55);
  EXPECT_DOUBLE_EQ(step_after("remove kind=backward"), 23 - 8 + 8 + 8);
}

// As many bytes in one as in two, of which the times are proportional: 50-66, 66-71.
TEST(GraphEditTest, MergedCommunicationsWaitForTheLastOfThem) {
  const WorkGraph merged = after("merge kind=all-reduce");
  EXPECT_DOUBLE_EQ(last_end(merged), 71);
  EXPECT_EQ(merged.nodes.size(), made_graph().nodes.size() - 2);
  EXPECT_EQ(merged.names[merged.nodes[3].name], "reduce first .. reduce second");
}

TEST(GraphEditTest, MergedComputationTakesTheSumWithoutTheDelaysInBetween) {
  const WorkGraph late = after("set kind=backward delay=2s");
  EXPECT_DOUBLE_EQ(last_end(late), 67);
  EXPECT_DOUBLE_EQ(step_after("merge kind=backward", late), 10 + 2 + 40 + 16 + 5);
}

TEST(GraphEditTest, PiecesAreAsLongAsTheWhole) {
  const WorkGraph pieces = after("split kind=all-reduce layer=second parts=4");
  EXPECT_DOUBLE_EQ(last_end(pieces), 63);
  EXPECT_EQ(pieces.nodes.size(), made_graph().nodes.size() + 6);
  EXPECT_EQ(after("split kind=all-reduce size=3B").nodes.size(), made_graph().nodes.size() + 8);
}

// Pieces that another passes on: 30-40 becomes 30-35 and 35-40, each passed on in 5 at once.
TEST(GraphEditTest, PushesAndPullsAreCutPieceByPiece) {
  const WorkGraph graph = push_and_pull();
  EXPECT_DOUBLE_EQ(last_end(graph), 30 + 10 + 10);
  EXPECT_DOUBLE_EQ(step_after("split work=communication parts=2", graph), 30 + 5 + 5 + 5);
}

TEST(GraphEditTest, InsertedWorkIsWaitedFor) {
  EXPECT_DOUBLE_EQ(step_after("insert kind=forward new=cast time=2s where=before"), 65);
  EXPECT_DOUBLE_EQ(step_after("insert kind=forward new=cast time=2s"), 65);
  EXPECT_DOUBLE_EQ(step_after("insert kind=all-reduce new=pack time=1s where=before on=compute"),
                   10 + 40 + 1 + 8 + 8 + 5);
}

TEST(GraphEditTest, RepeatedPasses) {
  EXPECT_DOUBLE_EQ(step_after("repeat kind=forward times=3"), 83);
  // Two passes of 50, and only the last lets the first all-reduce go.
  EXPECT_DOUBLE_EQ(step_after("repeat kind=forward,backward times=2"), 113);
}

// As one, all that computes would wait for the all-reduces, which wait for it: the row ends before
// the update. 0-50; 50-58, 58-66; 66-71.
TEST(GraphEditTest, ARowThatWouldWaitForItselfEndsWhereItWaitsForOthers) {
  EXPECT_DOUBLE_EQ(step_after("merge work=compute"), 71);
  // Two passes of 50; the all-reduces behind those of the second, 80-88 and 100-108; two updates.
  EXPECT_DOUBLE_EQ(step_after("repeat work=compute times=2"), 100 + 8 + 10);
}

// dPRO's theorem: the first all-reduce of 8 begins later by the second backward pass and sooner by
// its delay, which is saved.
TEST(GraphEditTest, RowsApartEndBehindWhatACommunicationWaitsFor) {
  const WorkGraph late = after("set kind=backward delay=2s");
  EXPECT_EQ(after("merge work=compute apart=yes", late).nodes.size(), late.nodes.size());
  const WorkGraph later = after("set kind=backward delay=9s");
  EXPECT_DOUBLE_EQ(last_end(later), 10 + 29 + 29 + 8 + 5);
  EXPECT_DOUBLE_EQ(step_after("merge work=compute apart=yes", later), 10 + 9 + 40 + 16 + 5);
}

// The second all-reduce first: it ends at 58, the first at 66.
TEST(GraphEditTest, ReorderedCommunicationsChangePlaces) {
  EXPECT_DOUBLE_EQ(step_after("reorder kind=all-reduce by=name descending=yes"), 71);
}

// On a stream of its own the update waits for the all-reduces only, as before.
TEST(GraphEditTest, MovedWork) {
  EXPECT_DOUBLE_EQ(step_after("move kind=update on=other"), 63);
  EXPECT_DOUBLE_EQ(step_after("move kind=all-reduce layer=first behind=\"reduce second\""), 71);
  EXPECT_EQ(input_error_of([] { after("move kind=backward layer=first behind=update"); }),
            "move behind=update kind=backward layer=first: something would wait for itself");
}

TEST(GraphEditTest, CopiesOfRanksMeetInTheSameCollectives) {
  const WorkGraph four = after("replicate ranks=4");
  EXPECT_EQ(four.nodes.size(), 2 * made_graph().nodes.size());
  EXPECT_DOUBLE_EQ(last_end(four), 63);
  EXPECT_DOUBLE_EQ(step_after("scale rank=3 kind=forward by=2", four), 73);
}

// An empty list meant all.
TEST(GraphEditTest, NothingBehindTheEqualsSignSelectsNothing) {
  const auto error = [](const char* edit) { return input_error_of([&] { after(edit); }); };
  EXPECT_EQ(error("scale by=2 stage="),
            "scale: stage: expected numbers such as 3 or 0-7, found nothing");
  EXPECT_EQ(error("scale by=2 rank="),
            "scale: rank: expected numbers such as 3 or 0-7, found nothing");
  EXPECT_EQ(error("scale by=2 kind="),
            "scale: kind: expected something behind the \"=\", found nothing");
}

TEST(GraphEditTest, SomethingHasToBeLeft) {
  EXPECT_EQ(input_error_of([] { after("remove"); }),
            "remove: nothing would be left of the step: expected some of it to stay");
}

// A computation's pieces are joined with all pieces of the all-reduce behind it: on each of two
// ranks 4,096 times 4,096 four times.
TEST(GraphEditTest, PiecesHaveALimit) {
  EXPECT_EQ(input_error_of([] { after("split parts=4096"); }),
            "split parts=4096: its pieces and what joins them would be 1.3e+08: expected fewer or "
            "larger pieces, for at most 1e+07");
}

// 9 s of work beside steps of 7 s, for which nobody waits.
TEST(GraphEditTest, OfAPlanNothingFallsBehindWithoutEnd) {
  WorkGraph graph;
  graph.streams = {{"compute"}};
  graph.planned = true;
  add_node(graph, "forward", "forward", kNone, 0, 3);
  add_node(graph, "backward", "backward", kNone, 0, 4);
  const WorkGraph behind = after("insert new=x time=9s on=other kind=backward", graph);
  ASSERT_EQ(behind.edges.size(), 2U);
  EXPECT_EQ(behind.names[behind.nodes[behind.edges[1].before].name], "x");
  EXPECT_EQ(behind.names[behind.nodes[behind.edges[1].after].name], "forward");
  EXPECT_EQ(behind.edges[1].later, 2U);
  EXPECT_EQ(after("insert new=x time=9s on=other kind=backward where=before", graph).edges.size(),
            1U);
  EXPECT_EQ(after("scale kind=forward by=2", behind).edges.size(), 2U);
}

TEST(GraphEditTest, WrongEditsAreRefusedInOneLine) {
  const auto error = [](const char* edit) { return input_error_of([&] { after(edit); }); };
  EXPECT_EQ(error("scale kind=nothing by=2"),
            "scale by=2 kind=nothing: selects nothing; kinds are forward, backward, all-reduce, "
            "update");
  EXPECT_EQ(error("skale by=2"),
            "expected one of scale, set, insert, remove, move, merge, split, reorder, repeat, "
            "replicate, found \"skale\"; did you mean \"scale\"?");
  EXPECT_EQ(error("scale by=-1"), "scale: by: expected a number from 0 to 1e6, found \"-1\"");
  EXPECT_EQ(error("scale kind=forward"), "scale: expected by=, such as by=0.5");
  EXPECT_EQ(
      error("scale by=2 tiem=1s"),
      "scale: unknown key \"tiem\": expected by, of, name, kind, layer, stream, rank, stage, work");
  EXPECT_EQ(error("split kind=update parts=0"),
            "split: parts: expected a whole number from 1 on, found \"0\"");
  EXPECT_EQ(error("split parts=2 size=1MiB"),
            "split: expected parts= or size=, such as parts=4 or size=4MiB");
  EXPECT_EQ(error("scale by=1 by=2"), "scale: by is given twice");
  EXPECT_EQ(error("remove name='a"), "expected a closing quote, found \"remove name='a\"");
  EXPECT_EQ(error("replicate ranks=3"),
            "replicate ranks=3: expected a multiple of the 2 recorded ranks, found 3");
  EXPECT_EQ(error(""), "expected an edit such as \"scale kind=forward by=0.5\", found nothing");
}

}  // namespace
}  // namespace stepcast
