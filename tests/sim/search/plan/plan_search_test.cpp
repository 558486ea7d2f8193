// The search against simulating everything.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "sim/search/plan/capacity_plan.hpp"
#include "sim/search/plan/plan_bound.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kTwoWorkers = 2;
const std::function<void()> kNothing = [] {};

/// 4 layers of 512 on 4 to 16 A100: a few hundred candidates.
PlanRequest small_transformer() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  return {.workload = "transformer:layers=4,hidden=512,heads=8,seq=512,vocab=5120",
          .clusters = {"dgx-a100"},
          .gpus = {4, 8, 16},
          .global_batch = 16,
          .schedules = {"gpipe", "1f1b", "interleaved", "zb-h1"},
          .options = {{"micro_batch", {"1", "2"}}, {"recompute", {"none", "full"}}},
          .prices = "rented-2024",
          .most_simulated = 100'000,
          .improve = false};
}

PlanRequest small_convolutions() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  return {.workload = "resnet50-rtx2080ti-bs32",
          .clusters = {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"},
          .gpus = {4, 8, 16},
          .options = {{"fusion_buffer", {"5MiB", "25MiB"}}},
          .prices = "rented-2024",
          .most_simulated = 100'000,
          .improve = false};
}

TEST(PlanSearch, TellsFirstWhatItMayTake) {
  PlanRequest request = small_transformer();
  request.most_simulated = 20;
  std::vector<std::size_t> told;
  request.costs = [&](const CostEstimate& cost, std::size_t simulations) {
    told.push_back(simulations);
    EXPECT_GT(cost.time, Seconds{});
    EXPECT_GT(cost.memory, Bytes{1e7});
  };
  search_plan(plan_space_of(request), kTwoWorkers, request.most_simulated,
              [&] { EXPECT_EQ(told.size(), 1U); });
  EXPECT_EQ(told, std::vector<std::size_t>{20});
}

// 60 s were told of 3 s: the estimate of a simulation of flows was 20 times what it takes.
TEST(PlanSearch, WhatItMayTakeIsOfAMeasuredSimulation) {
  PlanRequest request = small_transformer();
  request.workload = "transformer:model=gpt-22b";
  request.gpus = {128};
  request.global_batch = 1024;
  request.schedules = {"1f1b", "gpipe"};
  request.options = {};
  request.fidelity = Fidelity::Flow;
  Seconds told{};
  request.costs = [&](const CostEstimate& cost, std::size_t) { told = cost.time; };
  const auto begin = std::chrono::steady_clock::now();
  search_plan(plan_space_of(request), kTwoWorkers, 200, kNothing);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(told, Seconds{});
  EXPECT_LT(told.value, 10 * taken.count());
}

/// Every candidate simulated; those that are refused left out.
std::vector<PlanChoice> all_choices(const PlanSpace& space) {
  std::vector<PlanTrial> trials;
  for (const PlanCandidate& candidate : space.candidates)
    trials.push_back(trial_of(space, candidate));
  std::vector<PlanChoice> choices;
  std::vector<TrialResult> results = run_trials(space, trials, kTwoWorkers, kNothing);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].forecast)
      choices.push_back(choice_of(space, trials[i], *results[i].forecast));
  return choices;
}

std::string run_text(const PlanSpace& space, const PlanTrial& trial) {
  std::string text = space.schedules[trial.schedule].name + " " + layout_text(space, trial);
  for (const auto& [name, value] : trial.options)
    text.append(" ").append(name).append("=").append(value);
  return text;
}

using Point = std::pair<double, double>;

std::vector<Point> front_points(const CapacityPlan& plan) {
  std::vector<Point> points;
  for (const std::size_t i : plan.front)
    points.emplace_back(plan.choices[i].hours, plan.choices[i].cost);
  return points;
}

/// The same of everything.
std::vector<Point> exhaustive_front(const PlanSpace& space, std::size_t least) {
  CapacityPlan all{.space = space, .choices = all_choices(space)};
  EXPECT_GT(all.choices.size(), least);
  rank_choices(all);
  return front_points(all);
}

void expect_same_as_exhaustive(const PlanRequest& request, std::size_t least) {
  const PlanSpace space = plan_space_of(request);
  const CapacityPlan plan = search_plan(space, kTwoWorkers, request.most_simulated, kNothing);
  EXPECT_EQ(front_points(plan), exhaustive_front(space, least));
  EXPECT_EQ(plan.open, 0U);
}

TEST(PlanSearch, FindsTheBestAndTheFrontOfAllLayouts) {
  expect_same_as_exhaustive(small_transformer(), 300);
}

TEST(PlanSearch, FindsTheBestAndTheFrontOfAllDataParallelSchedules) {
  expect_same_as_exhaustive(small_convolutions(), 60);
}

TEST(PlanSearch, SimulatesFewOfTheLayouts) {
  const PlanRequest request = small_transformer();
  const CapacityPlan plan =
      search_plan(plan_space_of(request), kTwoWorkers, request.most_simulated, kNothing);
  EXPECT_LT(plan.choices.size(), plan.space.candidates.size() / 3);
}

void expect_bounds_below(const PlanRequest& request) {
  const PlanSpace space = plan_space_of(request);
  std::vector<PlanTrial> trials;
  for (const PlanCandidate& candidate : space.candidates)
    trials.push_back(trial_of(space, candidate));
  const std::vector<TrialResult> exact = run_trials(space, trials, kTwoWorkers, kNothing);
  const std::vector<PlanBound> bounds = find_bounds(space, kTwoWorkers);
  ASSERT_EQ(bounds.size(), exact.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!exact[i].forecast || !bounds[i].refusal.empty())
      continue;
    const std::string what = run_text(space, trials[i]);
    EXPECT_LE(bounds[i].sample_s, sample_time(*exact[i].forecast) * (1 + 1e-9)) << what;
    EXPECT_LE(bounds[i].memory.value, exact[i].forecast->memory.total().value * (1 + 1e-9)) << what;
    ++compared;
  }
  EXPECT_GT(compared, space.candidates.size() / 2);
}

TEST(PlanSearch, NoBoundIsAboveItsSimulation) {
  expect_bounds_below(small_transformer());
}

// Wide layers, few and slow adapters.
TEST(PlanSearch, NoBoundIsAboveItsSimulationWhereTheNetworkIsSlow) {
  PlanRequest request = small_transformer();
  request.workload = "transformer:layers=8,hidden=4096,heads=32,seq=1024,vocab=50304";
  request.clusters = {"a100-32x8-4xroce100"};
  request.gpus = {16, 32};
  request.options = {{"micro_batch", {"1"}}, {"recompute", {"none"}}};
  expect_bounds_below(request);
}

TEST(PlanSearch, NoBoundIsAboveItsSimulationOfExperts) {
  PlanRequest request = small_transformer();
  request.workload =
      "transformer:layers=4,hidden=1024,heads=8,seq=1024,vocab=5120,experts=8,top_k=2";
  request.gpus = {16};
  request.schedules = {"1f1b", "zb-h2"};
  expect_bounds_below(request);
}

// `best` may turn out to be the equal parts, which the walk of the passes alone does not tell.
TEST(PlanSearch, NoBoundIsAboveItsSimulationOfTheBestPartition) {
  PlanRequest request = small_transformer();
  request.gpus = {16};
  request.schedules = {"1f1b", "interleaved"};
  request.options = {{"partition", {"best"}}, {"tp", {"1"}}, {"recompute", {"none"}}};
  expect_bounds_below(request);
}

// FSDP's hybrid sharding gathers among the sharers alone, which a bound over all copies would miss.
TEST(PlanSearch, NoBoundIsAboveItsSimulationOfHybridSharding) {
  PlanRequest request = small_transformer();
  request.gpus = {16};
  request.options = {{"zero", {"3"}},
                     {"shard", {"2", "4"}},
                     {"tp", {"1"}},
                     {"pp", {"1", "2"}},
                     {"recompute", {"none"}}};
  request.settings.cluster["nic.bandwidth"] = "1Gbps";
  expect_bounds_below(request);
}

// Every micro-batch scatters its gradients over a slow network, beside its backward pass or behind.
TEST(PlanSearch, NoBoundIsAboveItsSimulationOfGradientShards) {
  PlanRequest request = small_transformer();
  request.gpus = {16};
  request.options = {{"zero", {"1", "2"}},    {"tp", {"1", "2"}},
                     {"pp", {"1", "2"}},      {"micro_batch", {"1"}},
                     {"recompute", {"none"}}, {"overlap_gradients", {"yes", "no"}}};
  request.settings.cluster["nic.bandwidth"] = "1Gbps";
  request.global_batch = 64;
  expect_bounds_below(request);
}

// An exchange of a data-parallel schedule may hide more than Megatron's.
TEST(PlanSearch, NoBoundIsAboveItsSimulationOfExchanges) {
  PlanRequest request = small_transformer();
  request.gpus = {16};
  request.options = {{"exchange", {"megatron", "bsp", "dear"}},
                     {"tp", {"1", "2"}},
                     {"pp", {"1", "2"}},
                     {"micro_batch", {"1"}},
                     {"recompute", {"none"}}};
  request.settings.cluster["nic.bandwidth"] = "1Gbps";
  expect_bounds_below(request);
}

TEST(PlanSearch, SharingInPartsIsOfLayoutsThatShare) {
  PlanRequest request = small_transformer();
  request.gpus = {16};
  request.options = {{"shard", {"2"}}, {"tp", {"1"}}, {"recompute", {"none"}}};
  const PlanSpace space = plan_space_of(request);
  for (const PlanBound& bound : find_bounds(space, kTwoWorkers))
    EXPECT_EQ(bound.refusal.find("zero=1"), std::string::npos) << bound.refusal;
}

// Whole experts need sequence parallelism: layouts without it are no candidates.
TEST(PlanSearch, WholeExpertsBringSequenceParallelism) {
  PlanRequest request = small_transformer();
  request.workload += ",experts=4,top_k=2";
  request.options = {{"etp", {"1"}}, {"tp", {"1", "2"}}, {"recompute", {"none"}}};
  const PlanSpace space = plan_space_of(request);
  for (const PlanCandidate& candidate : space.candidates)
    EXPECT_EQ(candidate.sequence_parallel, candidate.tensor > 1);
  for (const PlanBound& bound : find_bounds(space, kTwoWorkers))
    EXPECT_EQ(bound.refusal, "");
}

TEST(PlanSearch, IsTheSameForAnyNumberOfWorkers) {
  PlanRequest request = small_transformer();
  request.most_simulated = 20;
  const CapacityPlan one = search_plan(plan_space_of(request), 1, 20, kNothing);
  const CapacityPlan three = search_plan(plan_space_of(request), 3, 20, kNothing);
  ASSERT_EQ(one.choices.size(), three.choices.size());
  for (std::size_t i = 0; i < one.choices.size(); ++i) {
    EXPECT_EQ(one.choices[i].trial.options, three.choices[i].trial.options);
    EXPECT_EQ(one.choices[i].hours, three.choices[i].hours);
  }
}

TEST(PlanSearch, ChangesOfTheBestMakeItNoSlower) {
  const PlanRequest request = small_transformer();
  CapacityPlan plan =
      search_plan(plan_space_of(request), kTwoWorkers, request.most_simulated, kNothing);
  const double before = plan.choices.front().hours;
  improve_plan(plan, kTwoWorkers, kNothing);
  EXPECT_LE(plan.choices.front().hours, before);
}

TEST(PlanSearch, AllThatFitsIsPreferredToAllThatDoesNot) {
  PlanRequest request = small_transformer();
  request.most_memory = Bytes{2.5e8};
  const CapacityPlan plan =
      search_plan(plan_space_of(request), kTwoWorkers, request.most_simulated, kNothing);
  EXPECT_GT(plan.too_large, 0U);
  EXPECT_TRUE(plan.choices.front().fits);
  EXPECT_LE(plan.choices.front().forecast.memory.total().value, 2.5e8);
}

TEST(PlanSearch, WhereNothingFitsWhatIsSmallestComesFirst) {
  PlanRequest request = small_transformer();
  request.most_memory = Bytes{1e6};
  const CapacityPlan plan = find_plan(request, kTwoWorkers, kNothing);
  EXPECT_FALSE(plan.choices.front().fits);
  EXPECT_TRUE(plan.front.empty());
  const double least = plan.choices.front().forecast.memory.total().value;
  for (const PlanChoice& choice : plan.choices)
    EXPECT_GE(choice.forecast.memory.total().value, least);
  EXPECT_TRUE(plan.outlook.front().starts_with("Nothing fits the 976.6 KiB that a GPU may hold: "))
      << plan.outlook.front();
}

/// 100 million parameters on GPUs of 1 GB: as data parallelism 1.2 GB of parameters, gradients and
/// optimiser state on each, and over stages a part of that.
PlanRequest too_large_transformer() {
  PlanRequest request = small_transformer();
  request.workload = "transformer:layers=4,hidden=1024,heads=8,seq=512,vocab=51200";
  request.gpus = {4};
  request.schedules = {};
  request.options = {};
  request.most_memory = Bytes{2e8};
  return request;
}

// Ten data-parallel runs, whose memory no bound knows, were told as the least of all.
TEST(PlanSearch, WhereNothingFitsTheLeastOfAllCandidatesIsNamed) {
  const CapacityPlan plan = find_plan(too_large_transformer(), kTwoWorkers, kNothing);
  const PlanSpace& space = plan.space;
  double least = 1e300;
  for (std::size_t i = 0; i < space.candidates.size(); ++i)
    if (plan.bounds[i].refusal.empty())
      least = std::min(least, memory_needed(space, trial_of(space, space.candidates[i])).value);
  const PlanChoice& first = plan.choices.front();
  EXPECT_DOUBLE_EQ(first.forecast.memory.total().value, least);
  EXPECT_TRUE(space.schedules[first.trial.schedule].cuts);
  EXPECT_NE(plan.outlook.back().find(" too much."), std::string::npos) << plan.outlook.back();
}

TEST(PlanSearch, MemoryIsKnownWithoutASimulation) {
  const PlanSpace space = plan_space_of(small_transformer());
  for (const PlanChoice& choice : all_choices(space))
    EXPECT_DOUBLE_EQ(memory_needed(space, choice.trial).value, choice.forecast.memory.total().value)
        << run_text(space, choice.trial);
}

}  // namespace
}  // namespace stepcast
