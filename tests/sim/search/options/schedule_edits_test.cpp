#include "sim/search/options/schedule_edits.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/scenario.hpp"
#include "traces/catalog.hpp"

// Edits of a data-parallel step whose all-reduces run in order on one stream: its buckets.

namespace stepcast {
namespace {

const EngineOptions kAnalytic{.fidelity = Fidelity::Analytic};

EditedStep optimised(const Workload& workload, const Cluster& cluster,
                     const EngineOptions& engine = kAnalytic) {
  Scenario scenario{
      .original_workload = workload, .original_cluster = cluster, .schedules = {"ddp"}};
  scenario.engine = engine;
  scenario = changed(std::move(scenario), {});
  EditedStep found{.gpus = cluster.ranks()};
  edit_schedule(job_of(scenario, "ddp"), {}, true, {}, found);
  return found;
}

Seconds step_under(const char* schedule, const Workload& workload, const Cluster& cluster) {
  return step_time_of(build_plan(schedule, workload, cluster, {}), cluster, kAnalytic);
}

/// The step with these buckets, which are given by their ends among the gradients.
Seconds step_with(const std::vector<std::uint32_t>& ends, const Workload& workload,
                  const Cluster& cluster) {
  const std::vector<Gradient> gradients = gradients_in_ready_order(workload);
  std::vector<Bucket> buckets;
  std::uint32_t first = 0;
  for (const std::uint32_t last : ends) {
    Bucket bucket{.last_ready = gradients[last - 1].layer};
    for (; first < last; ++first) {
      bucket.size += gradients[first].size;
      bucket.gradients.push_back(gradients[first]);
    }
    buckets.push_back(std::move(bucket));
  }
  Builder builder("buckets", workload, cluster);
  overlapped_step(builder, buckets, {.stream = builder.stream("all-reduce")});
  return step_time_of(std::move(builder).build(), cluster, kAnalytic);
}

/// Some layers of equal times with gradients of different sizes.
Workload made_workload(std::size_t layers) {
  Workload workload{.name = "made"};
  for (std::size_t i = 0; i < layers; ++i)
    workload.layers.push_back({.name = "layer" + std::to_string(i),
                               .kind = "Linear",
                               .forward = Seconds{0.002},
                               .backward = Seconds{0.004},
                               .parameters = {{"weight", 200'000 + 450'000 * (i * 7 % 5)}}});
  return workload;
}

/// Of all 2^(layers - 1) ways to divide the gradients.
void expect_near_the_best(std::uint32_t layers, const Cluster& cluster) {
  const Workload workload = made_workload(layers);
  Seconds best{1e9};
  for (std::uint32_t cuts = 0; cuts < (1U << (layers - 1)); ++cuts) {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i + 1 < layers; ++i)
      if ((cuts >> i) % 2 == 1)
        ends.push_back(i + 1);
    ends.push_back(layers);
    best = std::min(best, step_with(ends, workload, cluster));
  }
  const EditedStep found = optimised(workload, cluster);
  EXPECT_LE(found.step_after.value, 1.025 * best.value) << layers << " " << cluster.name;
  EXPECT_GE(found.step_after.value, best.value * (1 - 1e-9)) << layers << " " << cluster.name;
}

TEST(ScheduleEditsTest, SmallCasesAreNearTheBestOfAll) {
  for (const char* network : {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"})
    for (const std::uint32_t layers : {3U, 6U, 9U})
      expect_near_the_best(layers, load_cluster(network));
}

// Buckets close at powers of two: of inceptionv4 over 100 Gb/s none is better than DDP's.
TEST(ScheduleEditsTest, ShippedWorkloadsBeatWhatFrameworksDoByDefault) {
  for (const char* network : {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"})
    for (const char* name :
         {"resnet50-rtx2080ti-bs32", "resnet50-rtx2080ti-bs64", "resnet152-rtx2080ti-bs8",
          "densenet201-rtx2080ti-bs16", "densenet201-rtx2080ti-bs32", "inceptionv4-rtx2080ti-bs64",
          "vgg16-rtx2080ti-bs32", "bert-base-rtx2080ti-bs64", "bert-large-rtx2080ti-bs32",
          "gpt2-rtx2080ti-bs32"}) {
      const Workload workload = load_workload(name);
      const Cluster cluster = load_cluster(network);
      const Seconds found = optimised(workload, cluster).step_after;
      EXPECT_LT(found, step_under("horovod", workload, cluster)) << name << " " << network;
      EXPECT_LE(found, step_under("ddp", workload, cluster)) << name << " " << network;
    }
}

TEST(ScheduleEditsTest, ItBeginsWithTheBucketsOfTheSchedule) {
  const Workload workload = load_workload("bert-base-rtx2080ti-bs64");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  EXPECT_NEAR(optimised(workload, cluster).step_before.value,
              step_under("ddp", workload, cluster).value, 1e-9);
}

TEST(ScheduleEditsTest, GainsAddUp) {
  const EditedStep found = optimised(load_workload("densenet201-rtx2080ti-bs32"),
                                     load_cluster("rtx2080ti-16x4-10gbe"), {});
  Seconds gains{};
  for (const AcceptedEdit& edit : found.accepted) {
    EXPECT_GT(edit.gain, Seconds{});
    gains += edit.gain;
  }
  EXPECT_NEAR(gains.value, (found.step_before - found.step_after).value, 1e-12);
  EXPECT_FALSE(found.bound_by.empty());
}

TEST(ScheduleEditsTest, StepsHaveTheirHosts) {
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.software.host_per_gradient = Seconds{0.2};
  const Workload workload = made_workload(5);
  const EditedStep found = optimised(workload, cluster);
  EXPECT_NEAR(found.step_before.value, 1.0, 0.05);
  EXPECT_NEAR(found.step_before.value, step_under("ddp", workload, cluster).value, 1e-9);
}

}  // namespace
}  // namespace stepcast
