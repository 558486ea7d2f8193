#include "sim/forecast/collective_run.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/measured_curve.hpp"
#include "models/schedule/communicate.hpp"

namespace stepcast {
namespace {

TaskId add(Builder& builder, const Collective& collective) {
  const std::string label = name_of(collective.kind);
  const CommunicationOptions options{.stream = builder.stream("collective"),
                                     .algorithm = collective.algorithm};
  return communicate(builder, collective.kind, label, collective.size, options);
}

std::string basis_of(const Collective& collective, const Cluster& cluster, Fidelity fidelity) {
  const auto estimate = fidelity == Fidelity::Step
                            ? std::nullopt
                            : find_measured_time(collective, world_of(cluster), cluster);
  if (!estimate)
    return "closed form";
  return estimate->extrapolated() || estimate->half_all_reduce ? "extrapolated" : "measured";
}

}  // namespace

CollectiveRun run_collective(const Collective& collective, const Cluster& cluster,
                             Fidelity fidelity) {
  const Workload nothing{.name = "collective", .layers = {{.name = "nothing"}}};
  Builder builder("collective", nothing, cluster);
  const TaskId call = builder.forward(0);
  const TaskId communication = add(builder, collective);
  builder.after(communication, {call});
  builder.next_after(call, {communication});
  const Plan plan = std::move(builder).build();
  return {.collective = collective,
          .ranks = cluster.ranks(),
          .fidelity = fidelity,
          .time = simulate(plan, cluster, {.fidelity = fidelity}).iteration_time,
          .basis = basis_of(collective, cluster, fidelity)};
}

Cluster first_ranks_of(Cluster cluster, std::uint32_t gpus) {
  if (gpus > cluster.ranks())
    throw InputError(
        fmt::format("`gpus` {}: cluster {} has {} GPUs ({} nodes of {}); more with `set` "
                    "cluster.nodes={}",
                    gpus, cluster.name, cluster.ranks(), cluster.nodes, cluster.gpus_per_node,
                    (gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node));
  if (gpus > cluster.gpus_per_node && gpus % cluster.gpus_per_node != 0)
    throw InputError(fmt::format("`gpus` {}: expected whole nodes of {} GPUs, or part of one node",
                                 gpus, cluster.gpus_per_node));
  cluster.nodes = gpus > cluster.gpus_per_node ? gpus / cluster.gpus_per_node : 1;
  cluster.gpus_per_node = std::min(gpus, cluster.gpus_per_node);
  return cluster;
}

}  // namespace stepcast
