// What is replayed behind a change only is what the whole changed graph takes.
#include "sim/search/lanes/changed_replay.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/lanes/lanes.hpp"
#include "tests/support/edit_graph.hpp"

namespace stepcast {
namespace {

double with_startup(const std::string& /*kind*/, const WorkNode& node, Bytes to, std::uint32_t,
                    std::uint32_t) {
  return (2 + to.value) / (2 + node.size.value);
}

/// None: something waits for itself.
std::optional<double> end_of(const std::function<Seconds()>& replay) {
  try {
    return replay().value;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Fusions and cuts at every place of every lane.
std::vector<LaneChange> changes_of(const WorkGraph& graph) {
  const GraphLanes lanes(graph);
  std::vector<LaneChange> changes;
  for (const auto& [lane, nodes] : lanes.all())
    for (std::uint32_t number = 0; number < nodes.front().size(); ++number) {
      changes.push_back(lanes.fusion_at({lane, number}));
      for (const std::uint32_t parts : {2U, 3U, 7U})
        changes.push_back(lanes.cut_at({lane, number}, parts));
    }
  return changes;
}

struct Counts {
  int ran = 0;
  int waited_for_themselves = 0;
  int named_twice = 0;
};

void expect_alike(const WorkGraph& graph, Counts& counts) {
  const std::vector<Interval> times = replay_graph(graph);
  ChangedReplay replay(graph, times);
  for (const LaneChange& change : changes_of(graph)) {
    std::optional<Seconds> known = Seconds{};
    const auto late = end_of([&] {
      known = replay.end_with(change, with_startup);
      return known.value_or(Seconds{});
    });
    if (!known) {
      ++counts.named_twice;
      continue;
    }
    const auto whole =
        end_of([&] { return replay_graphs({changed(graph, change, with_startup)}).step; });
    ++(whole ? counts.ran : counts.waited_for_themselves);
    ASSERT_EQ(late, whole);
  }
}

// To the last bit, on graphs with meetings, delays, chains and streams without an order; one object
// for all changes of a graph, so that each takes back what it did.
TEST(ChangedReplayTest, IsTheReplayOfTheWholeGraph) {
  Counts counts;
  for (std::uint32_t seed = 0; seed < 300 && !HasFatalFailure(); ++seed)
    expect_alike(random_graph(seed), counts);
  EXPECT_GT(counts.ran, 5000);
  EXPECT_GT(counts.waited_for_themselves, 20);
  EXPECT_LT(counts.named_twice, counts.ran);
}

// What the first members of a fusion or cut had become stayed in the next one's replay.
TEST(ChangedReplayTest, FindsTheGraphAsItWasBehindWhatThrew) {
  const WorkGraph graph = reduced_layers(3, 6);
  const std::vector<Interval> times = replay_graph(graph);
  ChangedReplay replay(graph, times);
  for (const LaneChange& change : changes_of(graph)) {
    if (change.fused.empty() && change.cut.empty())
      continue;
    int left = 2;
    const auto throws_at_last = [&](const std::string& kind, const WorkNode& node, Bytes to,
                                    std::uint32_t, std::uint32_t) {
      if (left-- == 0)
        throw InputError("no line");
      return with_startup(kind, node, to, 0, 0);
    };
    EXPECT_EQ(end_of([&] { return replay.end_with(change, throws_at_last).value(); }),
              std::nullopt);
    EXPECT_EQ(*replay.end_with(change, with_startup),
              replay_graphs({changed(graph, change, with_startup)}).step);
  }
}

TEST(ChangedReplayTest, OfAGraphThatWasChangedBefore) {
  Counts counts;
  WorkGraph graph = reduced_layers(3, 6);
  for (int round = 0; round < 3; ++round) {
    expect_alike(graph, counts);
    graph = changed(graph, changes_of(graph)[round == 1 ? 5 : 4], with_startup);
  }
  EXPECT_GT(counts.ran, 40);
}

}  // namespace
}  // namespace stepcast
