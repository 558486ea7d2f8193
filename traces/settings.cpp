#include "traces/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/readers/stepcast/cluster_fields.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kCluster = "cluster.";
constexpr std::string_view kStraggler = "straggler.";

/// An argument as errors show it: as typed, or quoted where it would not stay on one line.
std::string shown(const std::string& argument) {
  const bool plain = std::ranges::all_of(argument, [](char c) { return c >= 0x20 && c != 0x7f; });
  return plain && argument.size() < 60 ? argument : in_quotes(argument);
}

[[noreturn]] void refuse_second() {
  throw InputError("set twice");
}

void add_step_time(Settings& settings, std::string_view value) {
  if (settings.step_time)
    refuse_second();
  const Seconds time = parse_seconds(value);
  if (time <= Seconds{0})
    throw InputError(fmt::format("expected a time above zero, found \"{}\"", value));
  settings.step_time = time;
}

void add_batch(Settings& settings, std::string_view value) {
  if (settings.batch)
    refuse_second();
  settings.batch = parse_count(value, 1);
}

void add_straggler(Settings& settings, std::string_view rank, std::string_view value) {
  const double factor = parse_number(value);
  if (factor <= 0)
    throw InputError(fmt::format("expected a factor above zero, found \"{}\"", value));
  if (!settings.stragglers.emplace(parse_count(rank), factor).second)
    refuse_second();
}

/// Checks path and value at once by setting them on a cluster nobody looks at.
void add_cluster_field(Settings& settings, std::string_view path, std::string_view value) {
  Cluster scratch;
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
  add_setting(settings, argument.substr(0, equals), argument.substr(equals + 1));
}

void add_count(Settings& settings, std::string_view flag, const char* path,
               std::optional<std::uint32_t> count) try {
  if (count)
    add_cluster_field(settings, path, std::to_string(*count));
} catch (const InputError& error) {
  throw InputError(fmt::format("{} {}: {}", flag, *count, error.what()));
}

void set_field(Cluster& cluster, const std::string& path, const std::string& value) try {
  set_cluster_field(cluster, path, value);
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
  for (const auto& [rank, factor] : over.stragglers)
    base.stragglers.insert_or_assign(rank, factor);
  for (const auto& [path, value] : over.cluster)
    base.cluster.insert_or_assign(path, value);
  for (const auto& [option, value] : over.schedule)
    base.schedule.insert_or_assign(option, value);
  return base;
}

Workload with_settings(Workload workload, const Settings& settings) {
  if (settings.batch) {
    workload = with_batch(std::move(workload), *settings.batch);
    workload.provenance.notes.push_back(
        fmt::format("batch: {} as set by the user", *settings.batch));
  }
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
    set_field(cluster, path, value);
  if (!had_rack && cluster.rack && !settings.cluster.contains("rack.nodes"))
    throw InputError("cluster.rack.nodes: missing; cluster \"" + cluster.name + "\" has no racks");
  check_cluster(cluster);
  return cluster;
}

}  // namespace stepcast
