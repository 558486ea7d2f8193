#include "models/schedule/builder.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

template <class Build>
std::string error_of(const Build& build) {
  try {
    build();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const Workload kWorkload = uniform_workload(1, {1e-3}, {2e-3}, 1);

// It used to hold nowhere, without a word.
TEST(Builder, AnEdgeBetweenTasksThatShareNoRankNamesThem) {
  const Cluster cluster = plain_cluster(4);
  Builder builder("pairs", kWorkload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  const TeamId low = builder.group({0, 1});
  const TeamId high = builder.group({2, 3});
  const TaskId sum = builder.all_reduce("sum", Bytes{1}, {.stream = stream, .team = low});
  const TaskId rest = builder.compute("rest", Seconds{1}, {.team = high});
  builder.after(rest, {sum});
  EXPECT_EQ(error_of([&] { std::move(builder).build(); }),
            "pairs: compute \"rest\" waits for all-reduce \"sum\", but no rank runs both");
}

TEST(Builder, AnEdgeIntoTheNextIterationNeedsACommonRankToo) {
  const Cluster cluster = plain_cluster(4);
  Builder builder("pairs", kWorkload, cluster);
  const TaskId first = builder.compute("first", Seconds{1}, {.team = builder.group({0, 1})});
  const TaskId second = builder.compute("second", Seconds{1}, {.team = builder.group({3})});
  builder.next_after(first, {second});
  EXPECT_EQ(error_of([&] { std::move(builder).build(); }),
            "pairs: compute \"first\" waits for compute \"second\", but no rank runs both");
}

TEST(Builder, AGroupHasRanks) {
  const Cluster cluster = plain_cluster(2);
  Builder builder("nobody", kWorkload, cluster);
  EXPECT_EQ(error_of([&] { builder.group({}); }), "nobody: a group without ranks");
}

TEST(Builder, WhatIsNotThereIsNamed) {
  const Cluster cluster = plain_cluster(2);
  const auto error = [&](const auto& add) {
    return error_of([&] {
      Builder builder("wrong", kWorkload, cluster);
      add(builder, builder.compute("first", Seconds{1}));
      std::move(builder).build();
    });
  };
  EXPECT_EQ(error([](Builder& builder, TaskId first) { builder.after(first, {kNone}); }),
            "wrong: \"first\" waits for task 4294967295 of 1, which is not there");
  EXPECT_EQ(error([](Builder& builder, TaskId first) { builder.next_after(first, {7}); }),
            "wrong: an edge joins compute \"first\" to task 7, but there are 1 tasks");
  EXPECT_EQ(
      error([](Builder& builder, TaskId) { builder.compute("lost", Seconds{1}, {.stream = 9}); }),
      "wrong: task \"lost\" names stream 9, but there are 1");
  EXPECT_EQ(
      error([](Builder& builder, TaskId) { builder.compute("lost", Seconds{1}, {.team = 9}); }),
      "wrong: task \"lost\" names team 9, but there are 1");
  EXPECT_EQ(error([](Builder& builder, TaskId first) {
              builder.after(builder.compute("second", Seconds{1}), {first});
              builder.needs(first + 1, 2);
            }),
            "wrong: compute \"second\" needs 2 of the 1 tasks that it waits for");
  EXPECT_EQ(error([](Builder& builder, TaskId) { builder.team({}); }),
            "wrong: team: expected at least one group");
}

// A recorded job has a million kernels of a hundred names.
TEST(Builder, ALabelThatRecursIsKeptOnce) {
  const Cluster cluster = plain_cluster(1);
  Builder builder("kernels", kWorkload, cluster);
  for (int i = 0; i < 10; ++i) {
    builder.compute("add", Seconds{1});
    builder.compute("multiply", Seconds{1});
  }
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(plan.labels, (std::vector<std::string>{"add", "multiply"}));
  EXPECT_EQ(plan.labels[plan.graph.task(18).label], "add");
  EXPECT_EQ(plan.labels[plan.graph.task(19).label], "multiply");
}

}  // namespace
}  // namespace stepcast
