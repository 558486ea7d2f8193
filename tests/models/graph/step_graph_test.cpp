#include "models/graph/step_graph.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using Edges = std::vector<StepLinks::Edge>;
using Ids = std::vector<std::uint32_t>;

Ids ids_of(std::span<const std::uint32_t> ids) {
  return {ids.begin(), ids.end()};
}

CompressedRows<> rows_of(const std::vector<Ids>& rows) {
  return {rows.size(), [&](auto add) {
            for (std::uint32_t row = 0; row < rows.size(); ++row)
              for (const std::uint32_t value : rows[row])
                add(row, value);
          }};
}

TEST(CompressedRows, KeepTheOrderOfEachRow) {
  const CompressedRows<> rows = rows_of({{3, 1}, {}, {2}});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(ids_of(rows.of(0)), (Ids{3, 1}));
  EXPECT_TRUE(rows.of(1).empty());
  EXPECT_EQ(ids_of(rows.of(2)), Ids{2});
  EXPECT_EQ(CompressedRows<>().size(), 0U);
}

TEST(StepGraph, ACycleOfEdgesCannotRun) {
  const Edges edges{{0, 1}, {1, 2}, {2, 1}};
  const StepGraph graph(3, {.edges = edges, .meetings = {}});
  EXPECT_FALSE(graph.can_run());
  EXPECT_EQ(ids_of(graph.order()), Ids{0});
  EXPECT_TRUE(StepGraph(3, {.edges = std::span(edges).first(2), .meetings = {}}).can_run());
}

TEST(StepGraph, AMeetingStandsBehindItsMembersAndBeforeWhatWaitsForThem) {
  const Edges edges{{0, 1}, {2, 3}};
  const StepGraph graph(4, {.edges = edges, .meetings = rows_of({{0, 2}})});
  ASSERT_TRUE(graph.can_run());
  ASSERT_EQ(graph.order().size(), 5U);
  const auto place = [&](std::uint32_t id) {
    return std::ranges::find(graph.order(), id) - graph.order().begin();
  };
  EXPECT_LT(std::max(place(0), place(2)), place(4));
  EXPECT_LT(place(4), std::min(place(1), place(3)));
  EXPECT_EQ(ids_of(graph.meeting_of(2)), (Ids{0, 2}));
  EXPECT_TRUE(graph.meeting_of(1).empty());
  EXPECT_EQ(ids_of(graph.waits_of(3)), Ids{2});
}

// 0 and 1 run one after the other on one rank, 2 and 3 on another.
TEST(StepGraph, AReplayTellsWhenOperationsWereReadyAndStarted) {
  const Edges edges{{0, 1}, {2, 3}};
  const StepGraph graph(4, {.edges = edges, .meetings = rows_of({{1, 3}})});
  const std::vector<double> durations{1, 2, 4, 3};
  const std::vector<double> delays{0, 0.5, 0, 0};
  std::vector<double> ends;
  std::vector<double> ready(4);
  std::vector<double> starts(4);
  EXPECT_EQ(graph.replay(durations, delays, ends, ready, starts), 7);
  EXPECT_EQ(ready, (std::vector<double>{0, 1.5, 0, 4}));
  EXPECT_EQ(starts, (std::vector<double>{0, 4, 0, 4}));
  EXPECT_EQ(ends, (std::vector<double>{1, 6, 4, 7}));
  std::vector<double> again;
  EXPECT_EQ(graph.replay(durations, delays, again), 7);
  EXPECT_EQ(again, ends);
  EXPECT_EQ(graph.replay(durations, {}, again), 7);
}

// Two ranks whose meetings come in opposite orders: 0 meets 3, and 1 meets 2.
TEST(StepGraph, MeetingsThatContradictEachOtherAreTakenApartAsRecorded) {
  const Edges edges{{0, 1}, {2, 3}};
  const std::vector<Ids> meetings{{0, 3}, {1, 2}};
  EXPECT_FALSE(StepGraph(4, {.edges = edges, .meetings = rows_of(meetings)}).can_run());
  std::vector<RecordedTimes> recorded(4);
  for (std::size_t i = 0; i < 4; ++i)
    recorded[i] = {Seconds{5.0 - static_cast<double>(i)}, Seconds{9}};
  const StepGraph graph(4, {.edges = edges, .meetings = rows_of(meetings)}, recorded);
  EXPECT_TRUE(graph.can_run());
  EXPECT_EQ(graph.taken_apart(), 1U);
  EXPECT_TRUE(graph.meeting_of(1).empty());  // 2 began before 0.
  EXPECT_TRUE(graph.meeting_of(2).empty());
  EXPECT_EQ(ids_of(graph.meeting_of(0)), (Ids{0, 3}));
}

// 0 and 1 arrive at a server, which takes them in 2 and 3, one after the other.
TEST(StepGraph, AServerTakesWhatArrivesFirst) {
  const Edges edges{{2, 3}};
  const std::vector<Arrivals> arrivals{{.of = {0, 1}, .takers = {2, 3}}};
  const StepGraph graph(4, {.edges = edges, .meetings = {}, .arrivals = arrivals});
  ASSERT_TRUE(graph.can_run());
  std::vector<double> ends;
  EXPECT_EQ(graph.replay(std::vector<double>{5, 2, 1, 1}, {}, ends), 6);
  EXPECT_EQ(ends[2], 3);
  EXPECT_EQ(graph.taken_by(2, ends), 1U);
  EXPECT_EQ(graph.taken_by(3, ends), 0U);
  EXPECT_EQ(graph.taken_by(0, ends), std::nullopt);
  graph.replay(std::vector<double>{2, 5, 1, 1}, {}, ends);
  EXPECT_EQ(graph.taken_by(2, ends), 0U);
}

// 1 arrives only once the server has taken 0: any order of the two would be a cycle.
TEST(StepGraph, WhatWouldWaitForItselfIsTakenAsRecorded) {
  const Edges edges{{2, 1}, {2, 3}};
  const std::vector<Arrivals> arrivals{{.of = {0, 1}, .takers = {2, 3}}};
  const std::vector<RecordedTimes> recorded{{Seconds{0}, Seconds{1}},
                                            {Seconds{2}, Seconds{3}},
                                            {Seconds{1}, Seconds{2}},
                                            {Seconds{3}, Seconds{4}}};
  const StepGraph graph(4, {.edges = edges, .meetings = {}, .arrivals = arrivals}, recorded);
  ASSERT_TRUE(graph.can_run());
  EXPECT_EQ(ids_of(graph.waits_of(2)), Ids{0});
  std::vector<double> ends;
  EXPECT_EQ(graph.replay(std::vector<double>{1, 1, 1, 1}, {}, ends), 4);
  EXPECT_EQ(graph.taken_by(2, ends), std::nullopt);
}

TEST(StepGraph, ReplaysSideBySideAreThoseOfEachPart) {
  const Edges edges{{0, 1}};
  const StepGraph graph(2, {.edges = edges, .meetings = {}});
  std::vector<Lanes> ends;
  const Lanes last =
      graph.replay_parts(Ids{0, 1}, 0, std::vector<double>{3, 5}, std::vector<double>{1, 1}, ends);
  EXPECT_EQ(last.of[0], 4);
  EXPECT_EQ(last.of[1], 6);
  EXPECT_EQ(last.of[2], 2);
}

}  // namespace
}  // namespace stepcast
