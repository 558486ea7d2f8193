#include "traces/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/json/strict_json.hpp"

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

template <class Value, class Parse>
void add_once(std::optional<Value>& setting, std::string_view text, Parse parse) {
  if (setting)
    refuse_second();
  setting = parse(text);
}

Seconds parse_step_time(std::string_view text) {
  const Seconds time = parse_seconds(text);
  check_step_time(time);
  return time;
}

std::uint32_t parse_batch(std::string_view text) {
  return parse_count(text, 1);
}

double parse_part(std::string_view text) {
  const double part = parse_number(text);
  if (part < 0 || part > 1)
    throw InputError(fmt::format("expected a number from 0 to 1, found {}", in_quotes(text)));
  return part;
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
    return add_once(settings.step_time, value, parse_step_time);
  if (key == "update_time")
    return add_once(settings.update_time, value, parse_seconds);
  if (key == "batch")
    return add_once(settings.batch, value, parse_batch);
  if (key == "global_batch")
    return add_once(settings.global_batch, value, parse_batch);
  if (key == "batch_fixed_part")
    return add_once(settings.batch_fixed_part, value, parse_part);
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
  const auto take = [](auto& setting, const auto& other) {
    if (other)
      setting = other;
  };
  const auto take_all = [](auto& settings, const auto& others) {
    for (const auto& [key, value] : others)
      settings.insert_or_assign(key, value);
  };
  take(base.step_time, over.step_time);
  take(base.update_time, over.update_time);
  take(base.batch, over.batch);
  take(base.global_batch, over.global_batch);
  take(base.batch_fixed_part, over.batch_fixed_part);
  if (!over.second_workload.empty())
    base.second_workload = over.second_workload;
  take_all(base.stragglers, over.stragglers);
  take_all(base.cluster, over.cluster);
  take_all(base.schedule, over.schedule);
  return base;
}

}  // namespace stepcast
