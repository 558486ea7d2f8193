#include "sim/search/optimise/optimise.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/search/optimise/bucket_recursion.hpp"
#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

const EngineOptions kAnalytic{.fidelity = Fidelity::Analytic};

Seconds simulated(const Plan& plan, const Workload& workload, const Cluster& cluster) {
  return make_forecast(workload, cluster, plan, {}, kAnalytic.fidelity,
                       simulate(plan, cluster, kAnalytic))
      .iteration_time;
}

/// The step with these buckets, which are given by their ends among the gradients.
Seconds step_with(const BucketEnds& ends, const Workload& workload, const Cluster& cluster) {
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
  return simulated(std::move(builder).build(), workload, cluster);
}

Seconds sum_of(const Workload& workload, Seconds Layer::*time) {
  Seconds sum{};
  for (const Layer& layer : workload.layers)
    sum += layer.*time;
  return sum;
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

// On a network without the clusters' slow-down of overlapped computation; with and without that of
// communication, which over 100 Gb/s is more than the NICs hide.
TEST(OptimiseTest, TheRecursionIsTheAnalyticStep) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  for (const char* network : {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"})
    for (const double slowdown : {0.0, 1.75}) {
      Cluster cluster = load_cluster(network);
      cluster.overlap = {.communication_slowdown = slowdown};
      const BucketRecursion recursion(workload, cluster);
      for (const BucketEnds& ends : {BucketEnds{recursion.gradients()}, recursion.best(),
                                     BucketEnds{20, 60, 100, recursion.gradients()}})
        EXPECT_NEAR(
            (sum_of(workload, &Layer::forward) + recursion.end_of(ends) + workload.update).value,
            step_with(ends, workload, cluster).value, 1e-9)
            << network << " " << slowdown;
    }
}

/// Of all 2^(layers - 1) ways to divide the gradients.
void expect_near_the_best(std::uint32_t layers, const Cluster& cluster) {
  const Workload workload = made_workload(layers);
  const BucketRecursion recursion(workload, cluster);
  Seconds best{1e9};
  Seconds best_end{1e9};
  for (std::uint32_t cuts = 0; cuts < (1U << (layers - 1)); ++cuts) {
    BucketEnds ends;
    for (std::uint32_t i = 0; i + 1 < layers; ++i)
      if ((cuts >> i) % 2 == 1)
        ends.push_back(i + 1);
    ends.push_back(layers);
    best = std::min(best, step_with(ends, workload, cluster));
    best_end = std::min(best_end, recursion.end_of(ends));
  }
  EXPECT_NEAR(recursion.end_of(recursion.best()).value, best_end.value, 1e-12);
  const Optimisation found = optimise_buckets(workload, cluster, kAnalytic);
  EXPECT_LE(found.step_after.value, 1.02 * best.value) << layers << " " << cluster.name;
  EXPECT_GE(found.step_after.value, best.value * (1 - 1e-9)) << layers << " " << cluster.name;
}

TEST(OptimiseTest, SmallCasesAreWithinTwoPercentOfTheBestOfAll) {
  for (const char* network : {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"})
    for (const std::uint32_t layers : {3U, 6U, 9U})
      expect_near_the_best(layers, load_cluster(network));
}

TEST(OptimiseTest, ShippedWorkloadsBeatWhatFrameworksDoByDefault) {
  for (const char* network : {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"})
    for (const char* name :
         {"resnet50-rtx2080ti-bs32", "resnet50-rtx2080ti-bs64", "resnet152-rtx2080ti-bs8",
          "densenet201-rtx2080ti-bs16", "densenet201-rtx2080ti-bs32", "inceptionv4-rtx2080ti-bs64",
          "vgg16-rtx2080ti-bs32", "bert-base-rtx2080ti-bs64", "bert-large-rtx2080ti-bs32",
          "gpt2-rtx2080ti-bs32"}) {
      const Workload workload = load_workload(name);
      const Cluster cluster = load_cluster(network);
      const Optimisation found = optimise_buckets(workload, cluster, kAnalytic);
      const auto step_under = [&](const char* schedule) {
        return simulated(build_plan(schedule, workload, cluster, {}), workload, cluster);
      };
      EXPECT_LT(found.step_after, step_under("horovod")) << name << " " << network;
      EXPECT_LT(found.step_after, step_under("ddp")) << name << " " << network;
    }
}

TEST(OptimiseTest, ItBeginsWithTheBucketsOfDistributedDataParallel) {
  const Workload workload = load_workload("bert-base-rtx2080ti-bs64");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  EXPECT_NEAR(optimise_buckets(workload, cluster, kAnalytic).step_before.value,
              simulated(build_plan("ddp", workload, cluster, {}), workload, cluster).value, 1e-9);
}

TEST(OptimiseTest, GainsAddUp) {
  const Optimisation found = optimise_buckets(load_workload("densenet201-rtx2080ti-bs32"),
                                              load_cluster("rtx2080ti-16x4-10gbe"), {});
  Seconds gains{};
  for (const AcceptedEdit& edit : found.accepted) {
    EXPECT_GT(edit.gain, Seconds{});
    gains += edit.gain;
  }
  EXPECT_NEAR(gains.value, (found.step_before - found.step_after).value, 1e-12);
  EXPECT_FALSE(found.bound_by.empty());
}

// It simulated steps without them. Estimates have no hosts, so that edits only look shorter, and
// are accepted where the simulated step is.
TEST(OptimiseTest, StepsHaveTheirHosts) {
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.software.host_per_gradient = Seconds{0.2};
  const Workload workload = made_workload(5);
  const Optimisation found = optimise_buckets(workload, cluster, kAnalytic);
  EXPECT_NEAR(found.step_before.value, 1.0, 0.05);
  EXPECT_NEAR(found.step_before.value,
              simulated(build_plan("ddp", workload, cluster, {}), workload, cluster).value, 1e-9);
}

TEST(OptimiseTest, AWorkloadWithoutGradientsIsRefused) {
  Workload workload = made_workload(2);
  for (Layer& layer : workload.layers)
    layer.parameters.clear();
  EXPECT_EQ(
      input_error_of([&] { optimise_buckets(workload, load_cluster("rtx2080ti-16x4-10gbe"), {}); }),
      "made: expected a workload with gradients, found none");
}

}  // namespace
}  // namespace stepcast
