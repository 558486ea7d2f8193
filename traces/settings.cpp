#include "traces/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/cluster_fields.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kCluster = "cluster.";
constexpr std::string_view kStraggler = "straggler.";
constexpr std::string_view kCollectives = "collectives";  // Of a cluster; a file, not a field.

/// An argument as errors show it: as typed, or quoted where it would not stay on one line.
std::string shown(const std::string& argument) {
  const bool plain = std::ranges::all_of(argument, [](char c) { return c >= 0x20 && c != 0x7f; });
  return plain && argument.size() < 60 ? argument : in_quotes(argument);
}

[[noreturn]] void refuse_second() {
  throw InputError("given twice");
}

void add_step_time(Settings& settings, std::string_view value) {
  if (settings.step_time)
    refuse_second();
  const Seconds time = parse_seconds(value);
  check_step_time(time);
  settings.step_time = time;
}

void add_batch(Settings& settings, std::string_view value) {
  if (settings.batch)
    refuse_second();
  settings.batch = parse_count(value, 1);
}

void add_global_batch(Settings& settings, std::string_view value) {
  if (settings.global_batch)
    refuse_second();
  settings.global_batch = parse_count(value, 1);
}

void add_fixed_part(Settings& settings, std::string_view value) {
  if (settings.batch_fixed_part)
    refuse_second();
  const double part = parse_number(value);
  if (part < 0 || part > 1)
    throw InputError(fmt::format("expected a number from 0 to 1, found \"{}\"", value));
  settings.batch_fixed_part = part;
}

void add_second_workload(Settings& settings, std::string_view value) {
  if (!settings.second_workload.empty())
    refuse_second();
  settings.second_workload = value;
}

void add_straggler(Settings& settings, std::string_view rank, std::string_view value) {
  constexpr double kMost = 1000;
  const double factor = parse_number(value);
  if (factor < 1 / kMost || factor > kMost)
    throw InputError(
        fmt::format("expected a factor from {} to {}, found \"{}\"", 1 / kMost, kMost, value));
  if (!settings.stragglers.emplace(parse_count(rank), factor).second)
    refuse_second();
}

/// Checks path and value at once by setting them on a cluster nobody looks at.
void add_cluster_field(Settings& settings, std::string_view path, std::string_view value) {
  Cluster scratch;
  if (path == kCollectives)
    scratch.measured = load_collectives(std::string(value));
  else
    set_cluster_field(scratch, path, value);
  if (!settings.cluster.emplace(path, value).second)
    refuse_second();
}

void add_argument(Settings& settings, std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const bool complete =
      equals != std::string_view::npos && equals > 0 && equals + 1 < argument.size();
  if (!complete)
    throw InputError("expected key=value");
  const std::string_view value = argument.substr(equals + 1);
  if (value.starts_with('@'))
    return add_setting(settings, argument.substr(0, equals), read_text_file(value.substr(1)));
  add_setting(settings, argument.substr(0, equals), value);
}

void add_count(Settings& settings, std::string_view flag, const char* path,
               std::optional<std::uint32_t> count) try {
  if (count)
    add_cluster_field(settings, path, std::to_string(*count));
} catch (const InputError& error) {
  throw InputError(fmt::format("{} {}: {}", flag, *count, error.what()));
}

// Names and paths as load_workload() takes them.
BatchChange interpolated(Workload workload, const Settings& settings) try {
  return with_batch_between(std::move(workload), load_workload(settings.second_workload),
                            *settings.batch);
} catch (const InputError& error) {
  throw InputError(
      fmt::format("--set second_workload={}: {}", settings.second_workload, error.what()));
}

BatchChange proportional(Workload workload, std::uint32_t batch) {
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
          : proportional(std::move(workload), *settings.batch);
  change.workload.provenance.notes.push_back(std::move(change.how));
  return std::move(change.workload);
}

/// Curves were measured on the links as they were. The name stays, so that reports can say so.
void drop_curves(Cluster& cluster, const std::string& path) {
  const bool is_link = path.starts_with("nic.") || path.starts_with("intra_node.") ||
                       path.starts_with("rack.") || path == "nics";
  if (cluster.measured && is_link)
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

void set_field(Cluster& cluster, const std::string& path, const std::string& value) try {
  set_cluster_field(cluster, path, value);
  drop_curves(cluster, path);
  cluster.provenance.notes.push_back(fmt::format("{}: {} as set by the user", path, value));
} catch (const InputError& error) {
  throw InputError(fmt::format("cluster.{}: {}", path, error.what()));
}

}  // namespace

void add_setting(Settings& settings, std::string_view key, std::string_view value) {
  if (key == "step_time")
    return add_step_time(settings, value);
  if (key == "batch")
    return add_batch(settings, value);
  if (key == "global_batch")
    return add_global_batch(settings, value);
  if (key == "batch_fixed_part")
    return add_fixed_part(settings, value);
  if (key == "second_workload")
    return add_second_workload(settings, value);
  if (key.starts_with(kStraggler))
    return add_straggler(settings, key.substr(kStraggler.size()), value);
  if (key.starts_with(kCluster))
    return add_cluster_field(settings, key.substr(kCluster.size()), value);
  if (!settings.schedule.emplace(key, value).second)
    refuse_second();
}

Settings parse_settings(std::span<const std::string> arguments) {
  Settings settings;
  for (const std::string& argument : arguments) {
    try {
      add_argument(settings, argument);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--set {}: {}", shown(argument), error.what()));
    }
  }
  return settings;
}

void add_size(Settings& settings, std::optional<std::uint32_t> nodes,
              std::optional<std::uint32_t> gpus_per_node) {
  add_count(settings, "--nodes", "nodes", nodes);
  add_count(settings, "--gpus-per-node", "gpus_per_node", gpus_per_node);
}

Settings overlaid(Settings base, const Settings& over) {
  if (over.step_time)
    base.step_time = over.step_time;
  if (over.batch)
    base.batch = over.batch;
  if (over.global_batch)
    base.global_batch = over.global_batch;
  if (over.batch_fixed_part)
    base.batch_fixed_part = over.batch_fixed_part;
  if (!over.second_workload.empty())
    base.second_workload = over.second_workload;
  for (const auto& [rank, factor] : over.stragglers)
    base.stragglers.insert_or_assign(rank, factor);
  for (const auto& [path, value] : over.cluster)
    base.cluster.insert_or_assign(path, value);
  for (const auto& [option, value] : over.schedule)
    base.schedule.insert_or_assign(option, value);
  return base;
}

Settings resolved_batch(Settings settings, const Cluster& cluster) {
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
  const auto accumulation = settings.schedule.find("accumulation");
  const std::uint64_t passes =
      accumulation == settings.schedule.end() ? 1 : parse_count(accumulation->second, 1);
  const std::uint64_t shares = cluster.ranks() * passes;
  if (*settings.global_batch % shares != 0)
    throw InputError(fmt::format("--set global_batch={}: expected a multiple of {} ({} GPU{}{})",
                                 *settings.global_batch, shares, cluster.ranks(),
                                 cluster.ranks() == 1 ? "" : "s",
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
  return workload;
}

Cluster with_settings(Cluster cluster, const Settings& settings) {
  const bool had_rack = cluster.rack.has_value();
  for (const auto& [path, value] : settings.cluster)
    if (path != kCollectives)
      set_field(cluster, path, value);
  // Last: curves that are named are for the links as they are set.
  if (const auto curves = settings.cluster.find(std::string(kCollectives));
      curves != settings.cluster.end())
    set_collectives(cluster, curves->second);
  if (!had_rack && cluster.rack && !settings.cluster.contains("rack.nodes"))
    throw InputError("cluster.rack.nodes: missing; cluster \"" + cluster.name + "\" has no racks");
  check_cluster(cluster);
  return cluster;
}

}  // namespace stepcast
