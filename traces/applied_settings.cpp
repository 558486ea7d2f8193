#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/network/adapters.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/settings.hpp"

// What settings make of a workload and of a cluster.

namespace stepcast {
namespace {

// Names and paths as load_workload() takes them.
BatchChange interpolated(Workload workload, const Settings& settings) try {
  return with_batch_between(std::move(workload), load_workload(settings.second_workload),
                            *settings.batch);
} catch (const InputError& error) {
  throw InputError(
      fmt::format("--set second_workload={}: {}", settings.second_workload, error.what()));
}

/// Passes of a transformer follow from its law, of whatever batch.
BatchChange at_other_batch(Workload workload, std::uint32_t batch) {
  if (workload.transformer)
    return {transformer_workload(*workload.transformer, workload.device, batch),
            fmt::format("batch {} from batch {}: layer times by the device's law", batch,
                        workload.batch)};
  const std::uint32_t profiled = workload.batch;
  const bool follows = workload.batch_scaling == BatchScaling::Proportional;
  return {with_batch(std::move(workload), batch),
          fmt::format("batch {} from batch {}: layer times {}", batch, profiled,
                      follows ? "are proportional" : "stay, as the trace does not say more")};
}

Workload at_batch(Workload workload, const Settings& settings) {
  BatchChange change =
      !settings.second_workload.empty() ? interpolated(std::move(workload), settings)
      : settings.batch_fixed_part
          ? with_batch_in_part(std::move(workload), *settings.batch, *settings.batch_fixed_part)
          : at_other_batch(std::move(workload), *settings.batch);
  change.workload.provenance.notes.push_back(std::move(change.how));
  return std::move(change.workload);
}

/// Curves were measured on the links as they were. The name stays, so that reports can say so.
void drop_curves(Cluster& cluster, const std::string& path) {
  if (cluster.measured && cluster_field(path).topic == FieldTopic::Link)
    cluster.measured = {.name = cluster.measured->name};
}

/// Their times include the launch, which the cluster's costs would add again.
void set_collectives(Cluster& cluster, const std::string& name) {
  cluster.measured = load_collectives(name);
  cluster.provenance.notes.push_back(fmt::format("collectives: {} as set by the user", name));
  if (cluster.measured && cluster.software.collective_launch > Seconds{})
    cluster.provenance.caveats.push_back(fmt::format(
        "software.collective_launch, {}, comes on top of measured collectives, whose times "
        "include a launch; to take them alone set cluster.software.collective_launch=0s",
        format_seconds(cluster.software.collective_launch)));
}

/// The name of a device is all of it that a setting changes.
void add_device_caveat(Cluster& cluster, const std::string& before) {
  if (cluster.device.name != before)
    cluster.provenance.caveats.push_back(fmt::format(
        "device {} in place of {}: memory, links, jitter, software costs and measured collectives "
        "that are not set, too, stay those of {}",
        cluster.device.name, before, before));
}

void set_field(Cluster& cluster, const std::string& path, const std::string& value) try {
  const std::string device = cluster.device.name;
  set_cluster_field(cluster, path, value);
  drop_curves(cluster, path);
  add_device_caveat(cluster, device);
  cluster.provenance.notes.push_back(fmt::format("{}: {} as set by the user", path, value));
} catch (const InputError& error) {
  throw InputError(fmt::format("cluster.{}: {}", path, error.what()));
}

/// A node has all its adapters at once, and a field of one is set for each of them. Says what that
/// comes to, where a node has or had several.
void add_adapters_caveat(Cluster& cluster, const Settings& settings, std::uint32_t before) {
  const auto is_set = [&](const char* path) { return settings.cluster.contains(path); };
  if (cluster.nics == 1 && before == 1)
    return;
  std::vector<std::string> sentences;
  if (is_set("nic.bandwidth") || is_set("nics"))
    sentences.push_back(fmt::format("a node has {}", adapters_in_words(cluster)));
  if (is_set("nic.bandwidth") && !is_set("nics"))
    sentences.emplace_back(
        "nic.bandwidth is that of each of them (with one adapter set cluster.nics=1, too)");
  if (is_set("nics") && !is_set("nic.bandwidth") && cluster.nics != before)
    sentences.push_back(fmt::format("{} of {} adapters, each with the bandwidth that it had",
                                    cluster.nics, before));
  if (is_set("nic.startup"))
    sentences.push_back(
        fmt::format("nic.startup is paid by every message, through whichever of the {} adapters",
                    cluster.nics));
  if (is_set("nic.bandwidth_per_gpu"))
    sentences.push_back("nic.bandwidth_per_gpu is what a GPU fills of all adapters together");
  if (!sentences.empty())
    cluster.provenance.caveats.push_back(fmt::format("{}", fmt::join(sentences, "; ")));
}

/// An update that the workload knows is another one, and its passes stay; where it knows of none,
/// or the step is set too, the update is a part of the step.
Workload with_update_set(Workload workload, Seconds update, bool is_of_step) try {
  const Seconds before = workload.update;
  if (before > Seconds{} && !is_of_step) {
    workload.update = update;
    workload.provenance.notes.push_back(
        fmt::format("update_time: {} as set by the user, in place of {}", format_seconds(update),
                    format_seconds(before)));
    return workload;
  }
  workload = with_update_time(std::move(workload), update);
  workload.provenance.notes.push_back(
      fmt::format("update_time: {} of the step as set by the user; forward and backward take the "
                  "rest, every layer scaled alike",
                  format_seconds(update)));
  return workload;
} catch (const InputError& error) {
  throw InputError(fmt::format("--set update_time={}: {}", format_seconds(update), error.what()));
}

}  // namespace

std::uint64_t passes_of(const Settings& settings) {
  const auto accumulation = settings.schedule.find("accumulation");
  return accumulation == settings.schedule.end() ? 1 : parse_count(accumulation->second, 1);
}

Settings resolved_batch(Settings settings, const Cluster& cluster,
                        std::optional<std::uint32_t> training) {
  const bool says_how = settings.batch_fixed_part || !settings.second_workload.empty();
  if (says_how && !settings.batch && !settings.global_batch)
    throw InputError(
        "--set batch_fixed_part or second_workload: expected batch or global_batch "
        "beside it");
  if (settings.batch_fixed_part && !settings.second_workload.empty())
    throw InputError("--set batch_fixed_part: expected no second_workload beside it");
  if (!settings.global_batch)
    return settings;
  if (settings.batch)
    throw InputError("--set global_batch: expected no batch beside it");
  const std::uint32_t ranks = training.value_or(cluster.ranks());
  const std::uint64_t passes = passes_of(settings);
  const std::uint64_t shares = ranks * passes;
  if (*settings.global_batch % shares != 0)
    throw InputError(fmt::format("--set global_batch={}: expected a multiple of {} ({} GPU{}{}{})",
                                 *settings.global_batch, shares, ranks, ranks == 1 ? "" : "s",
                                 ranks == cluster.ranks() ? "" : " that train",
                                 passes == 1 ? "" : fmt::format(" x {} passes", passes)));
  settings.batch = static_cast<std::uint32_t>(*settings.global_batch / shares);
  return settings;
}

Workload with_settings(Workload workload, const Settings& settings) {
  if (settings.batch)
    workload = at_batch(std::move(workload), settings);
  if (settings.step_time) {
    workload = with_step_time(std::move(workload), *settings.step_time);
    workload.provenance.notes.push_back(
        fmt::format("step_time: {} as set by the user; every layer scaled alike",
                    format_seconds(*settings.step_time)));
  }
  if (settings.update_time)
    workload =
        with_update_set(std::move(workload), *settings.update_time, settings.step_time.has_value());
  return workload;
}

Cluster with_settings(Cluster cluster, const Settings& settings) {
  const bool had_rack = cluster.rack.has_value();
  const std::uint32_t adapters = cluster.nics;
  for (const auto& [path, value] : settings.cluster)
    if (path != kCollectivesSetting)
      set_field(cluster, path, value);
  // Last: curves that are named are for the links as they are set.
  if (const auto curves = settings.cluster.find(std::string(kCollectivesSetting));
      curves != settings.cluster.end())
    set_collectives(cluster, curves->second);
  if (!had_rack && cluster.rack && !settings.cluster.contains("rack.nodes"))
    throw InputError("cluster.rack.nodes: missing; cluster \"" + cluster.name + "\" has no racks");
  check_cluster(cluster);
  add_adapters_caveat(cluster, settings, adapters);
  return cluster;
}

}  // namespace stepcast
