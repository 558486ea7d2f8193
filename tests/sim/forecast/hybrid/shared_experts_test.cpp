// Copies that share optimiser state in parts (`shard`), beside experts that fewer ranks hold:
// Megatron-Core's num_distributed_optimizer_instances cuts copies of experts into as many parts.
#include <gtest/gtest.h>

#include "models/schedule/model_parallel/schedules.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

// 16 GPUs; with ep=4 and tp=1 there are four copies of each expert.
OwnedJob experts_of(ScheduleOptions options) {
  OwnedJob scenario{
      .workload = *find_transformer_model("transformer:layers=4,hidden=1024,heads=16,seq=512,vocab="
                                          "1024,device=h100,experts=8,top_k=2"),
      .cluster = load_cluster("dgx-h100"),
      .schedule = "1f1b",
      .options = std::move(options)};
  scenario.cluster.nodes = 2;
  scenario.engine.fidelity = Fidelity::Analytic;
  scenario.options.insert({{"sequence_parallel", "yes"}, {"global_batch", "16"}});
  return scenario;
}

HybridRun run_of(ScheduleOptions options) {
  const OwnedJob scenario = experts_of(std::move(options));
  return build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
}

// Bytes that a group has of collectives of a kind, but for those of the norm.
double bytes_of(const HybridRun& run, CollectiveKind kind) {
  double sum = 0;
  for (const PlannedCollective& planned : run.hybrid.plan.collectives)
    if (planned.collective.kind == kind && planned.collective.size > Bytes{4})
      sum += planned.collective.size.value;
  return sum;
}

double optimiser_bytes(const HybridRun& run) {
  return run.hybrid.stages.front().memory.optimiser.value;
}

// Two parts of eight ranks, in each of which two hold the same experts: 12 bytes of state for each
// parameter, and 2 that come back of it.
TEST(SharedExperts, ComeBackFromThoseThatShareTheirState) {
  const HybridRun run = run_of({{"ep", "4"}, {"zero", "1"}, {"shard", "8"}});
  const RankParameters held = stage_parameters(run.job, 0);
  EXPECT_EQ(run.job.expert_shard(), 2U);
  EXPECT_DOUBLE_EQ(optimiser_bytes(run), 12 * (held.dense / 8 + held.expert / 2));
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllGather), 2 * (held.dense + held.expert));
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllReduce), 2 * (held.dense + held.expert));
}

// Four parts of four ranks, each with all experts once: nothing of them comes back.
TEST(SharedExperts, AreWholeWhereEachPartHoldsThemOnce) {
  const HybridRun run = run_of({{"ep", "4"}, {"zero", "1"}, {"shard", "4"}});
  const RankParameters held = stage_parameters(run.job, 0);
  EXPECT_DOUBLE_EQ(optimiser_bytes(run), 12 * (held.dense / 4 + held.expert));
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllGather), 2 * held.dense);
}

TEST(SharedExperts, AreOfTheSameSharersWhereAllHoldThem) {
  const HybridRun run = run_of({{"ep", "1"}, {"zero", "1"}, {"shard", "4"}});
  const RankParameters held = stage_parameters(run.job, 0);
  EXPECT_DOUBLE_EQ(optimiser_bytes(run), 12 * (held.dense + held.expert) / 4);
  const Plan& plan = run.hybrid.plan;
  std::size_t gathers = 0;
  for (const Task& task : plan.graph.tasks())
    if (task.collective != kNone &&
        plan.collectives[task.collective].collective.kind == CollectiveKind::AllGather) {
      EXPECT_EQ(plan.teams[task.team].group_size(), 4U);
      ++gathers;
    }
  EXPECT_EQ(gathers, 2U);
}

TEST(SharedExperts, OfWhichAPartWouldLackSomeAreRefused) {
  EXPECT_EQ(input_error_of([] {
              run_of({{"ep", "8"}, {"zero", "1"}, {"shard", "4"}});
            }),
            "1f1b: option shard: expected dp x cp / shard (16 / 4 = 4) to divide the copies of "
            "an expert (2): each part of the ranks holds all experts");
}

// FSDP's hybrid sharding: gathered in both passes of four blocks, scattered by the sharers, an
// eighth of what is dense and half of the experts added up with the other part.
TEST(SharedExperts, OfHybridShardingAreAddedUpBetweenParts) {
  const HybridRun run = run_of({{"ep", "4"}, {"zero", "3"}, {"shard", "8"}});
  const RankParameters held = stage_parameters(run.job, 0);
  const MemoryUse& use = run.hybrid.stages.front().memory;
  EXPECT_DOUBLE_EQ((use.parameters + use.gradients + use.optimiser).value,
                   16 * (held.dense / 8 + held.expert / 2));
  const ModelUnit& block = run.job.units[1];  // in use, ahead, and the gradients of one
  EXPECT_DOUBLE_EQ(use.fusion_buffers.value, 3 * 2 * (block.parameters + block.expert_parameters));
  double dense = 0;  // the head's matrix is the embedding's, and is gathered for both
  for (const ModelUnit& unit : run.job.units)
    dense += unit.parameters;
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllGather), 2 * 2 * (dense + held.expert));
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::ReduceScatter), 2 * (dense + held.expert));
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllReduce), 2 * (dense / 8 + held.expert / 2));
}

// One copy of what is dense, two of each whole expert.
TEST(SharedExperts, AreAddedUpWhereNothingElseHasCopies) {
  const ScheduleOptions layout{{"tp", "8"}, {"pp", "2"}, {"ep", "4"}, {"etp", "1"}};
  const HybridRun run = run_of(layout);
  const double experts = stage_parameters(run.job, 0).expert + stage_parameters(run.job, 1).expert;
  const double tied = 2 * run.job.tied;
  EXPECT_DOUBLE_EQ(bytes_of(run, CollectiveKind::AllReduce), 2 * experts + tied);
  ScheduleOptions shared = layout;
  shared["zero"] = "1";
  EXPECT_DOUBLE_EQ(bytes_of(run_of(shared), CollectiveKind::AllGather), 2 * experts);
  shared["zero"] = "3";
  const HybridRun blocks = run_of(shared);  // behind each micro-batch
  EXPECT_DOUBLE_EQ(bytes_of(blocks, CollectiveKind::ReduceScatter),
                   2 * experts * blocks.job.micro_batches());
}

// Without sharing each rank updates all that it holds, however many hold the same.
TEST(SharedExperts, AreUpdatedByEachThatHoldsThem) {
  const ScheduleOptions layout{{"tp", "4"}, {"ep", "1"}, {"etp", "1"}};
  const HybridRun run = run_of(layout);
  const RankParameters held = stage_parameters(run.job, 0);
  const BytesPerSecond moves{1e12};
  EXPECT_DOUBLE_EQ(update_time(run.job, 0, moves).value, (held.dense + held.expert) * 30 / 1e12);
}

TEST(SharedExperts, AreBroadcastByAsManyAsShareThem) {
  const HybridRun run = run_of({{"ep", "4"}, {"zero", "1"}, {"updated", "broadcasts"}});
  std::size_t broadcasts = 0;
  for (const PlannedCollective& planned : run.hybrid.plan.collectives)
    broadcasts += planned.collective.kind == CollectiveKind::Broadcast ? 1 : 0;
  EXPECT_EQ(broadcasts, 16U + 4U);
}

TEST(SharedExperts, FoldedEqualsUnfolded) {
  for (const char* zero : {"1", "3"}) {
    OwnedJob scenario = experts_of({{"ep", "4"}, {"zero", zero}, {"shard", "8"}});
    const Seconds folded = simulated(scenario).forecast.iteration_time;
    scenario.engine.fold = false;
    EXPECT_DOUBLE_EQ(simulated(scenario).forecast.iteration_time.value, folded.value);
  }
}

}  // namespace
}  // namespace stepcast
