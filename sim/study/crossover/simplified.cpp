#include "sim/study/crossover/simplified.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/network/free_software.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {
namespace {

void drop_startups(Cluster& cluster) {
  cluster.intra_node.startup = cluster.nic.startup = {};
  if (cluster.rack)
    cluster.rack->startup = {};
  cluster.software = without_costs(cluster.software);
}

/// As many nodes as there were GPUs, of one each, whose path is not what binds.
void give_own_nics(Cluster& cluster) {
  cluster.nodes = cluster.ranks();
  cluster.gpus_per_node = 1;
  cluster.rack.reset();
  cluster.intra_node.bandwidth =
      std::max(cluster.intra_node.bandwidth, node_link(cluster).bandwidth);
}

/// Curves that were measured on other links say nothing; closed forms take their place.
void drop_curves_of_other_links(Cluster& cluster, const Cluster& measured_on,
                                const CrossoverNetwork& network) {
  const bool same = cluster.nic.bandwidth == measured_on.nic.bandwidth &&
                    cluster.nic.startup == measured_on.nic.startup &&
                    cluster.gpus_per_node == network.gpus_per_node;
  if (cluster.measured && !same)
    cluster.measured = {.name = cluster.measured->name};
}

Cluster cluster_of(const CrossoverGrid& grid, const CrossoverNetwork& network,
                   CrossoverModel model) {
  Cluster cluster = grid.scenario.cluster;
  cluster.nodes = network.nodes;
  cluster.gpus_per_node = network.gpus_per_node;
  cluster.nic.bandwidth = network.bandwidth;
  if (cluster.nics > 1)
    cluster.provenance.caveats.push_back(
        fmt::format("bandwidths are those of one adapter, of which a node has {}", cluster.nics));
  if (model >= CrossoverModel::NoStartups)
    drop_startups(cluster);
  if (model >= CrossoverModel::NoOverlap)
    cluster.overlap = {};
  if (model >= CrossoverModel::OwnNics)
    give_own_nics(cluster);
  drop_curves_of_other_links(cluster, grid.scenario.cluster, network);
  return cluster;
}

}  // namespace

const char* name_of(CrossoverModel model) {
  return name_among({"simulated", "free selection", "no start-ups", "no overlap", "own NICs"},
                    model);
}

CrossoverSimulator::CrossoverSimulator(const CrossoverGrid& grid, const CrossoverNetwork& network,
                                       CrossoverModel model)
    : grid_(grid), model_(model), cluster_(cluster_of(grid, network, model)) {}

Seconds CrossoverSimulator::time_of(const std::string& name, double density) const {
  const Workload workload = workload_of(name, density);
  return measured(job_of(workload, name, density)).time;
}

Notes CrossoverSimulator::notes_on(const std::string& name, double density) const {
  const Workload workload = workload_of(name, density);
  return notes_before_simulation(grid_.scenario, job_of(workload, name, density));
}

LikelyRange CrossoverSimulator::range_of(const std::string& schedule) const {
  return shipped_range(schedule, grid_.scenario.workload.device, cluster_,
                       experts_in(grid_.scenario.workload));
}

std::string CrossoverSimulator::simplified(const std::string& name) const {
  const ScheduleInfo& info = schedule_of(name);
  const bool whole = !info.compressed && !info.asynchronous && !info.partitions_model();
  return whole && model_ >= CrossoverModel::NoOverlap ? sequential_schedule().name : name;
}

ScheduledJob CrossoverSimulator::job_of(const Workload& workload, const std::string& name,
                                        double density) const {
  const std::string schedule = simplified(name);
  ScheduleOptions options = options_of(schedule, density);
  if (schedule_of(schedule).partitions_model()) {
    Settings settings = grid_.scenario.settings;
    settings.schedule = std::move(options);
    options = partitioned_options(settings);
  }
  return {.workload = workload,
          .cluster = cluster_,
          .schedule = schedule,
          .options = std::move(options),
          .engine = grid_.scenario.engine};
}

// A global batch is shared by those that train on this network.
Workload CrossoverSimulator::workload_of(const std::string& name, double density) const {
  Settings settings = grid_.scenario.settings;
  const std::string schedule = simplified(name);
  if (schedule_of(schedule).partitions_model())
    return unbatched_workload(grid_.scenario);
  if (!settings.global_batch)
    return grid_.scenario.workload;
  settings.schedule = options_of(schedule, density);
  const std::uint32_t training = training_ranks(schedule, cluster_, settings.schedule);
  return with_settings(grid_.scenario.original_workload,
                       resolved_batch(std::move(settings), cluster_, training));
}

ScheduleOptions CrossoverSimulator::options_of(const std::string& schedule, double density) const {
  ScheduleOptions options = options_in(grid_.scenario.settings, schedule);
  const auto set = [&](const char* name, const std::string& value) {
    if (has_option(schedule, name))
      options[name] = value;
  };
  set("density", fmt::format("{:.9g}", density));
  if (model_ >= CrossoverModel::FreeSelection)
    set("selection", "free");
  if (model_ >= CrossoverModel::NoOverlap && schedule_of(schedule).compressed)
    set("fusion", "model");
  return options;
}

}  // namespace stepcast
