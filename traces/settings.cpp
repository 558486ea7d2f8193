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

void add_update_time(Settings& settings, std::string_view value) {
  if (settings.update_time)
    refuse_second();
  settings.update_time = parse_seconds(value);
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
    throw InputError(fmt::format("expected a number from 0 to 1, found {}", in_quotes(value)));
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
    throw InputError(fmt::format("expected a factor from {} to {}, found {}", 1 / kMost, kMost,
                                 in_quotes(value)));
  if (!settings.stragglers.emplace(parse_count(rank), factor).second)
    refuse_second();
}

/// Checks path and value at once by setting them on a cluster nobody looks at.
void add_cluster_field(Settings& settings, std::string_view path, std::string_view value) {
  Cluster scratch;
  if (path == kCollectivesSetting)
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

}  // namespace

void add_setting(Settings& settings, std::string_view key, std::string_view value) {
  if (key == "step_time")
    return add_step_time(settings, value);
  if (key == "update_time")
    return add_update_time(settings, value);
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
  if (over.update_time)
    base.update_time = over.update_time;
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

}  // namespace stepcast
