// Properties that hold for any schedule, workload and cluster.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

struct Example {
  Workload workload;
  Cluster cluster;
};

Example random_example(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Example example{.workload = examples::uniform_workload(
                      std::uniform_int_distribution<std::uint32_t>(1, 12)(random), {}, {}, 1),
                  .cluster = examples::plain_cluster(
                      std::uniform_int_distribution<std::uint32_t>(1, 5)(random),
                      std::uniform_int_distribution<std::uint32_t>(1, 4)(random))};
  for (Layer& layer : example.workload.layers) {
    layer.forward = Seconds{uniform(0, 2e-3)};
    layer.backward = Seconds{uniform(0, 4e-3)};
    layer.parameters[0].elements = static_cast<std::uint64_t>(uniform(1, 3e6));
    if (uniform(0, 1) < 0.2)
      layer.parameters.clear();
  }
  example.cluster.nic = {.bandwidth = BytesPerSecond{uniform(1e8, 1e10)},
                         .startup = Seconds{uniform(0, 3e-5)}};
  example.cluster.intra_node = {.bandwidth = BytesPerSecond{uniform(1e9, 1e10)},
                                .startup = Seconds{uniform(0, 1e-5)}};
  example.cluster.overlap.compute_slowdown = uniform(0, 0.2);
  example.cluster.software = {.collective_launch = Seconds{uniform(0, 1e-4)},
                              .horovod_cycle = Seconds{uniform(1e-4, 2e-3)},
                              .negotiation_per_cycle = Seconds{uniform(0, 1e-3)}};
  return example;
}

// Every rank sends 2 (P-1)/P of the gradients over its port, and a node passes as much over its NIC
// once, whatever the schedule; parameter servers add up inside the node first: 2 (n-1)/n.
Seconds bandwidth_bound(const Example& example, const std::string& schedule) {
  const double ranks = schedule == "ps" ? example.cluster.nodes : example.cluster.ranks();
  if (ranks == 1)
    return {};
  const Bytes moved = parameter_size(example.workload) * (2 * (ranks - 1) / ranks);
  BytesPerSecond slowest = example.cluster.intra_node.bandwidth;
  if (example.cluster.nodes > 1)
    slowest = std::min(slowest, example.cluster.nic.bandwidth);
  return moved / slowest;
}

// Everything one after the other: compute at the slowed-down speed, every collective of the plan,
// and for Horovod a cycle, a negotiation for every tensor.
Seconds serial_sum(const Example& example, const Plan& plan) {
  const Software& software = example.cluster.software;
  Seconds sum = (forward_time(example.workload) + backward_time(example.workload)) *
                (1 + example.cluster.overlap.compute_slowdown);
  for (const PlannedCollective& planned : plan.collectives)
    sum += cost_of(planned.collective, plan.teams[0].groups[0], example.cluster) +
           software.collective_launch + software.horovod_cycle + software.negotiation_per_cycle;
  return sum;
}

class Bounds : public ::testing::TestWithParam<int> {};

TEST_P(Bounds, IterationTimeLiesBetweenTheBoundAndTheSerialSum) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const Example example = random_example(random);
  const Seconds compute = forward_time(example.workload) + backward_time(example.workload);
  for (const ScheduleInfo& schedule : first_order_schedules())
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      const Plan plan = build_plan(schedule.name, example.workload, example.cluster, {});
      const Timeline timeline = simulate(plan, example.cluster, {.fidelity = fidelity});
      const double time = timeline.mean_iteration_time().value;
      const double least = std::max(compute, bandwidth_bound(example, schedule.name)).value;
      EXPECT_GE(time, least * (1 - 1e-9)) << schedule.name << " " << name_of(fidelity);
      EXPECT_LE(time, serial_sum(example, plan).value * (1 + 1e-9))
          << schedule.name << " " << name_of(fidelity);
    }
}

INSTANTIATE_TEST_SUITE_P(RandomExamples, Bounds, ::testing::Range(0, 40));

}  // namespace
}  // namespace stepcast
