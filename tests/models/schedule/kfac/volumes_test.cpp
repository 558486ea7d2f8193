// What every K-FAC system sends, against closed forms over the layers, to the byte.

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/models/schedule/kfac/kfac_workload.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::communications;

const Workload kWorkload = examples::kfac_workload(6);

Plan plan_of(const char* schedule, const ScheduleOptions& options = {}, std::uint32_t nodes = 8) {
  return build_plan(schedule, kWorkload, examples::plain_cluster(nodes), options);
}

/// Sum of the sizes of the collectives whose label begins so.
double sent(const Plan& plan, std::string_view label, CollectiveKind kind) {
  double bytes = 0;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind != TaskKind::Communication || !plan.labels[task.label].starts_with(label))
      continue;
    const Collective& collective = plan.collectives[task.collective].collective;
    if (collective.kind == kind)
      bytes += collective.size.value;
  }
  return bytes;
}

/// Sum over all factors for which `counts(side)`.
template <class Counts>
double packed(Counts counts) {
  double bytes = 0;
  for (const Layer& layer : kWorkload.layers)
    if (layer.kronecker)
      for (const std::uint32_t side : {layer.kronecker->a, layer.kronecker->g})
        if (counts(side))
          bytes += 4.0 * side * (side + 1) / 2;
  return bytes;
}

double all_packed() {
  return packed([](std::uint32_t) { return true; });
}

TEST(KfacVolumes, DKfacReducesEveryFactorAndSendsNoInverse) {
  const Plan plan = plan_of("d-kfac");
  EXPECT_EQ(sent(plan, "factor of", CollectiveKind::AllReduce), all_packed());
  EXPECT_EQ(communications(plan, "inverse of"), 0U);
}

TEST(KfacVolumes, MpdKfacBroadcastsEveryInverse) {
  const Plan plan = plan_of("mpd-kfac");
  EXPECT_EQ(sent(plan, "factor of", CollectiveKind::AllReduce), all_packed());
  EXPECT_EQ(sent(plan, "inverse of", CollectiveKind::Broadcast), all_packed());
  EXPECT_EQ(communications(plan, "inverse of"), 12U);
}

TEST(KfacVolumes, SpdKfacBroadcastsLargeInversesOnly) {
  for (const char* fusion : {"optimal", "none", "threshold", "naive"}) {
    const Plan plan = plan_of("spd-kfac", {{"balance_threshold", "120"}, {"fusion", fusion}});
    EXPECT_EQ(sent(plan, "factor of", CollectiveKind::AllReduce), all_packed()) << fusion;
    EXPECT_EQ(sent(plan, "inverse of", CollectiveKind::Broadcast),
              packed([](std::uint32_t side) { return side >= 120; }))
        << fusion;
  }
}

TEST(KfacVolumes, SpdKfacWithoutPlacementSendsNoInverse) {
  EXPECT_EQ(communications(plan_of("spd-kfac", {{"placement", "none"}}), "inverse of"), 0U);
}

TEST(KfacVolumes, PadKfacReducesEveryFactorToOneRank) {
  for (const char* fusion : {"owner", "none"}) {
    const Plan plan = plan_of("pad-kfac", {{"fusion", fusion}});
    EXPECT_EQ(sent(plan, "factor of", CollectiveKind::Reduce), all_packed()) << fusion;
    EXPECT_EQ(sent(plan, "factor of", CollectiveKind::AllReduce), 0) << fusion;
    EXPECT_EQ(sent(plan, "inverse of", CollectiveKind::Broadcast), all_packed()) << fusion;
  }
}

// One owner: all A in one reduce, all G in another, all inverses in one broadcast.
TEST(KfacVolumes, PadKfacFusesWhatOneOwnerGets) {
  const Plan plan = plan_of("pad-kfac", {{"owners", "1"}});
  EXPECT_EQ(communications(plan, "factor of"), 2U);
  EXPECT_EQ(communications(plan, "inverse of"), 1U);
}

TEST(KfacVolumes, DpKfacSendsPreconditionedGradientsOnly) {
  const Plan plan = plan_of("dp-kfac");
  double gradients = 0;
  for (const Layer& layer : kWorkload.layers)
    if (layer.kronecker)
      gradients += 4.0 * layer.kronecker->a * layer.kronecker->g;
  EXPECT_EQ(communications(plan, "factor of"), 0U);
  EXPECT_EQ(communications(plan, "inverse of"), 0U);
  EXPECT_EQ(sent(plan, "preconditioned gradient of", CollectiveKind::Broadcast), gradients);
}

TEST(KfacVolumes, KaisaCommOptSendsInversesAndMemOptGradients) {
  const Plan communication = plan_of("kaisa", {{"grad_worker_fraction", "comm-opt"}});
  EXPECT_EQ(sent(communication, "inverse of", CollectiveKind::Broadcast), all_packed());
  EXPECT_EQ(communications(communication, "preconditioned gradient of"), 0U);
  const Plan memory = plan_of("kaisa", {{"grad_worker_fraction", "mem-opt"}});
  EXPECT_EQ(communications(memory, "inverse of"), 0U);
  EXPECT_EQ(communications(memory, "preconditioned gradient of"), 6U);
}

TEST(KfacVolumes, AnIterationBetweenUpdatesSendsGradientsOnly) {
  const Plan plan = plan_of("mpd-kfac", {{"update", "none"}});
  EXPECT_EQ(communications(plan, "factor of"), 0U);
  EXPECT_EQ(communications(plan, "inverse of"), 0U);
  EXPECT_EQ(communications(plan, "gradient of"), 7U);  // fused at run time
  EXPECT_EQ(sent(plan, "gradient of", CollectiveKind::AllReduce), parameter_size(kWorkload).value);
}

// SPD-KFAC synchronises with the GPU within its passes, so its host is not ahead.
TEST(KfacVolumes, GradientsAreAnnouncedAheadOfTheirData) {
  EXPECT_EQ(plan_of("d-kfac").announcements.size(), 7U);
  EXPECT_EQ(plan_of("d-kfac", {{"run_ahead", "off"}}).announcements.size(), 0U);
  EXPECT_EQ(plan_of("spd-kfac").announcements.size(), 0U);
}

// The scalars that the training script averages: 4 bytes each, before the backward pass.
TEST(KfacVolumes, MetricsAreAveragedInEveryStep) {
  EXPECT_EQ(communications(plan_of("d-kfac"), "metric of"), 2U);
  EXPECT_EQ(sent(plan_of("spd-kfac"), "metric of", CollectiveKind::AllReduce), 2 * 4.0);
  EXPECT_EQ(communications(plan_of("d-kfac", {{"metrics", "0"}}), "metric of"), 0U);
  EXPECT_EQ(communications(plan_of("d-kfac", {{"parts", "ff-bp"}}), "metric of"), 0U);
}

// Only where inverses are computed and not sent.
TEST(KfacVolumes, LeavingOutInverseCommunicationLeavesABarrier) {
  EXPECT_EQ(communications(plan_of("mpd-kfac", {{"parts", "inverse-computation"}}), "inverse of"),
            1U);
  EXPECT_EQ(communications(plan_of("mpd-kfac", {{"parts", "factor-communication"}}), "inverse of"),
            0U);
}

// Six factors of one pass, of 20 to 46 kB (A: 4 x 100 x 101 / 2 .. 4 x 150 x 151 / 2 bytes): two
// of the smallest fill 50,000 bytes nearly, no two of the others fit.
TEST(KfacVolumes, ThresholdFusionFillsTheBuffer) {
  const Plan fused = plan_of("spd-kfac", {{"fusion", "threshold"}, {"fusion_buffer", "50000B"}});
  const Plan alone = plan_of("spd-kfac", {{"fusion", "none"}});
  EXPECT_EQ(communications(alone, "factor of"), 12U);
  EXPECT_EQ(communications(fused, "factor of"), 5U + 1U);
}

TEST(KfacInput, RefusesMoreOwnersThanRanks) {
  EXPECT_EQ(input_error_of([] {
              plan_of("mpd-kfac", {{"owners", "9"}});
            }),
            "mpd-kfac: option owners: expected at most 8, the number of ranks, found 9");
}

TEST(KfacInput, RefusesAWorkloadWithoutFactorsOrCosts) {
  Workload workload = examples::uniform_workload(2, Seconds{1}, Seconds{1}, 10);
  const auto build = [&] { build_plan("d-kfac", workload, examples::plain_cluster(2), {}); };
  EXPECT_EQ(input_error_of(build),
            "d-kfac: no K-FAC costs of device \"test\" (workload uniform): expected a file "
            "traces/hardware/test-kfac.json");
  workload.kfac = examples::plain_kfac_costs();
  EXPECT_EQ(input_error_of(build),
            "d-kfac: workload uniform: expected layers with \"kronecker\": {\"a\", \"g\", "
            "\"rows\"}, found none");
}

TEST(KfacInput, RefusesBadOptions) {
  EXPECT_NE(input_error_of([] { plan_of("spd-kfac", {{"balance_threshold", "-1"}}); }), "");
  EXPECT_NE(input_error_of([] { plan_of("spd-kfac", {{"fusion_startup", "-1s"}}); }), "");
  EXPECT_NE(input_error_of([] { plan_of("spd-kfac", {{"fusion_time_per_element", "0s"}}); }), "");
  EXPECT_NE(input_error_of([] { plan_of("spd-kfac", {{"metrics", "-1"}}); }), "");
  EXPECT_EQ(input_error_of([] {
              plan_of("spd-kfac", {{"metrics", "1025"}});
            }),
            "spd-kfac: option metrics: expected a whole number from 0 to 1024, found 1025");
  EXPECT_EQ(input_error_of([] {
              plan_of("kaisa", {{"grad_worker_fraction", "2"}});
            }),
            "kaisa: option grad_worker_fraction: expected a fraction above 0 and up to 1, found 2");
  EXPECT_EQ(input_error_of([] {
              plan_of("kaisa", {{"grad_worker_fraction", "-1"}});
            }),
            "kaisa: option grad_worker_fraction: expected a number of at least 0, found \"-1\"");
}

}  // namespace
}  // namespace stepcast
