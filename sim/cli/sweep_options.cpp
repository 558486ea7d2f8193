#include "sim/cli/sweep_options.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

SweepAxis axis_of(const std::string& setting, bool is_list) {
  if (!is_list || setting.find(',') == std::string::npos)
    parse_settings(std::vector{setting});  // the usual errors, such as a missing value
  const std::size_t equals = std::min(setting.find('='), setting.size());
  SweepAxis axis{.name = setting.substr(0, equals), .values = {}};
  const std::string value = equals < setting.size() ? setting.substr(equals + 1) : "";
  if (!is_list)
    axis.values = {value};
  CommaList list;
  if (is_list)
    assign({.name = "--set " + axis.name, .value = "", .target = &list, .meaning = ""}, {value});
  std::ranges::move(list.items, std::back_inserter(axis.values));
  return axis;
}

std::vector<SweepAxis> axes_of_settings(const SweepOptions& typed) {
  std::vector<SweepAxis> axes;
  for (const std::string& setting : typed.settings) {
    SweepAxis axis = axis_of(setting, typed.settings_are_lists);
    if (std::ranges::find(axes, axis.name, &SweepAxis::name) != axes.end())
      throw InputError(fmt::format("--set {}: given twice", setting));
    axes.push_back(std::move(axis));
  }
  return axes;
}

void add_counts(std::vector<SweepAxis>& axes, const char* name,
                const std::vector<std::uint32_t>& counts) {
  if (counts.empty())
    return;
  SweepAxis& axis = axes.emplace_back(SweepAxis{.name = name, .values = {}});
  for (const std::uint32_t count : counts)
    axis.values.push_back(std::to_string(count));
}

std::vector<SweepAxis> axes_of(const SweepOptions& typed) {
  std::vector<SweepAxis> axes;
  if (!typed.workloads.items.empty())
    axes.push_back({"workload", typed.workloads.items});
  if (!typed.clusters.items.empty())
    axes.push_back({"cluster", typed.clusters.items});
  add_counts(axes, "nodes", typed.nodes);
  add_counts(axes, "gpus_per_node", typed.gpus_per_node);
  std::ranges::move(axes_of_settings(typed), std::back_inserter(axes));
  return axes;
}

}  // namespace

std::vector<CommandOption> options_of(SweepOptions& typed, CommandOption schedules) {
  std::vector<CommandOption> options = options_of(typed.run, std::move(schedules));
  const std::map<std::string, OptionTarget> lists{{"--workload", &typed.workloads},
                                                  {"--cluster", &typed.clusters},
                                                  {"--nodes", &typed.nodes},
                                                  {"--gpus-per-node", &typed.gpus_per_node},
                                                  {"--set", &typed.settings}};
  for (CommandOption& option : options) {
    const auto list = lists.find(option.name);
    if (list == lists.end())
      continue;
    option.target = list->second;
    option.value += ",...";
  }
  return options;
}

SweepRequest request_of(const SweepOptions& typed, const std::string& example) {
  SweepRequest request{
      .base = experiment_of(typed.run), .axes = axes_of(typed), .fold = !typed.run.unfold};
  if (request.base.workload.empty() && !typed.workloads.items.empty())
    request.base.workload = typed.workloads.items.front();
  if (request.base.cluster.empty() && !typed.clusters.items.empty())
    request.base.cluster = typed.clusters.items.front();
  require_job(request.base, example);
  return request;
}

}  // namespace stepcast
