#include "sim/cli/sweep_options.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/workload/transformer/transformer_text.hpp"

namespace stepcast {
namespace {

SweepAxis axis_of(const std::string& setting) {
  if (setting.find(',') == std::string::npos)
    parse_settings(std::vector{setting});  // the usual errors, such as a missing value
  const std::size_t equals = std::min(setting.find('='), setting.size());
  SweepAxis axis{.name = setting.substr(0, equals), .values = {}};
  const std::string value = equals < setting.size() ? setting.substr(equals + 1) : "";
  CommaList list;
  assign({.name = "--set " + axis.name, .value = "", .target = &list, .meaning = ""}, {value});
  std::ranges::move(list.items, std::back_inserter(axis.values));
  return axis;
}

std::vector<SweepAxis> axes_of_settings(const SweepOptions& typed) {
  std::vector<SweepAxis> axes;
  for (const std::string& setting : typed.settings) {
    SweepAxis axis = axis_of(setting);
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

/// A list of workloads was cut at every comma, and so were the keys of transformers.
std::vector<std::string> joined_transformers(const std::vector<std::string>& items) {
  std::vector<std::string> workloads;
  for (const std::string& item : items)
    if (!workloads.empty() && workloads.back().starts_with(kTransformerPrefix) &&
        !item.starts_with(kTransformerPrefix) && item.find('=') != std::string::npos)
      workloads.back() += "," + item;
    else
      workloads.push_back(item);
  return workloads;
}

void add_layouts(std::vector<SweepAxis>& axes, const std::vector<std::string>& layouts) {
  for (const std::string& layout : layouts)
    try {
      for (const auto& [axis, ways] : options_of_layout(layout))
        if (std::ranges::find(axes, axis, &SweepAxis::name) != axes.end())
          throw InputError(fmt::format("{}: given twice, with --set, too", axis));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--layout {}: {}", layout, error.what()));
    }
  if (!layouts.empty())
    axes.push_back({"layout", layouts});
}

std::vector<SweepAxis> axes_of(const SweepOptions& typed, const Experiment& experiment) {
  std::vector<SweepAxis> axes;
  if (!typed.workloads.items.empty())
    axes.push_back({"workload", joined_transformers(typed.workloads.items)});
  else if (!experiment.workloads.empty())
    axes.push_back({"workload", experiment.workloads});
  if (!typed.clusters.items.empty())
    axes.push_back({"cluster", typed.clusters.items});
  else if (!experiment.clusters.empty())
    axes.push_back({"cluster", experiment.clusters});
  add_counts(axes, "nodes", typed.nodes);
  add_counts(axes, "gpus_per_node", typed.gpus_per_node);
  std::ranges::move(axes_of_settings(typed), std::back_inserter(axes));
  add_layouts(axes, typed.run.layouts);
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
  RunRequest run = typed.run;
  run.layouts.clear();  // an axis
  SweepRequest request{.base = experiment_of(run), .axes = {}, .fold = !typed.run.unfold};
  request.axes = axes_of(typed, request.base);
  if (request.base.workload.empty() && !typed.workloads.items.empty())
    request.base.workload = joined_transformers(typed.workloads.items).front();
  if (request.base.cluster.empty() && !typed.clusters.items.empty())
    request.base.cluster = typed.clusters.items.front();
  require_job(request.base, example);
  return request;
}

}  // namespace stepcast
