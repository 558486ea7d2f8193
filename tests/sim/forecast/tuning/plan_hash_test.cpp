#include "sim/forecast/tuning/plan_hash.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/leaves.hpp"

namespace stepcast {
namespace {

/// A plan that holds every kind of value once.
Plan full_plan() {
  const Collective collective{
      .kind = CollectiveKind::AllGather, .size = {8}, .root = 0, .shares = {1, 2}};
  return {.schedule = "any",
          .graph = TaskGraph({{.duration = {1}}, {.kind = TaskKind::Communication, .stream = 1}},
                             {{0, 1}}),
          .next = {{1, 0}},
          .later = {{.before = 1, .after = 0, .iterations = 2}},
          .quorums = {{.task = 1, .needed = 1}},
          .streams = {{.name = "compute"},
                      {.name = "priority", .rule = ByPriority{.credit = {1}, .at_once = 1}},
                      {.name = "horovod", .rule = Negotiated{.cycle = {1}}}},
          .collectives = {{.collective = collective}},
          .teams = {{.groups = {{.ranks = {0, 1}}, {.ranks = {2, 3}}}}},
          .later_steps = {1}};
}

template <class Member>
void expect_each_leaf_to_count(Member Plan::*member) {
  const Plan plan = full_plan();
  for (Member& other : with_one_change(plan.*member)) {
    Plan changed = plan;
    changed.*member = std::move(other);
    EXPECT_NE(hash_of(changed), hash_of(plan)) << bytes_of(changed.*member);
    EXPECT_FALSE(same(changed, plan));
  }
}

TEST(PlanHash, EveryFieldOfARuleACollectiveAndATeamCounts) {
  expect_each_leaf_to_count(&Plan::next);
  expect_each_leaf_to_count(&Plan::later);
  expect_each_leaf_to_count(&Plan::quorums);
  expect_each_leaf_to_count(&Plan::streams);
  expect_each_leaf_to_count(&Plan::collectives);
  expect_each_leaf_to_count(&Plan::teams);
  expect_each_leaf_to_count(&Plan::later_steps);
}

TEST(PlanHash, EveryFieldOfATaskAndEveryEdgeCounts) {
  const Plan plan = full_plan();
  const std::vector<Task> tasks(plan.graph.tasks().begin(), plan.graph.tasks().end());
  for (const std::vector<Task>& other : with_one_change(tasks)) {
    Plan changed = plan;
    changed.graph = TaskGraph(other, plan.graph.edges());
    EXPECT_NE(hash_of(changed), hash_of(plan));
  }
  Plan changed = plan;
  changed.graph = TaskGraph(tasks, {});
  EXPECT_NE(hash_of(changed), hash_of(plan));
}

TEST(PlanHash, NamesAndMemoryDoNotCount) {
  Plan changed = full_plan();
  changed.schedule = "another";
  changed.labels = {"conv1"};
  changed.notes = {{.text = "A note."}};
  changed.memory.factors = {1};
  changed.phases = {"another"};
  EXPECT_EQ(hash_of(changed), hash_of(full_plan()));
  EXPECT_FALSE(same(changed, full_plan()));
}

TEST(PlanHash, TellsPlansApartByTheirWork) {
  const Workload workload =
      examples::uniform_workload(4, Seconds{1e-3}, Seconds{2e-3}, 262144);  // 1 MiB each
  const Cluster cluster = examples::plain_cluster(4);
  const auto hash_with = [&](const char* buffer) {
    return hash_of(build_plan("dear", workload, cluster, {{"fusion_buffer", buffer}}));
  };
  EXPECT_EQ(hash_with("2MiB"), hash_with("2.9MiB"));
  EXPECT_NE(hash_with("2MiB"), hash_with("3MiB"));
}

}  // namespace
}  // namespace stepcast
