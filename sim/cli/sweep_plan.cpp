#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/sweep.hpp"

namespace stepcast {
namespace {

/// Something that the user lists values of.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// The axes of a job and those of its schedules' options.
struct Axes {
  std::vector<Axis> job;  ///< workload, cluster, size, then settings such as batch.
  std::vector<Axis> options;
};

bool is_job_setting(const std::string& key) {
  constexpr std::array kKeys{"step_time", "batch", "global_batch", "batch_fixed_part",
                             "second_workload"};
  return std::ranges::find(kKeys, key) != kKeys.end() || key.starts_with("straggler.") ||
         key.starts_with("cluster.");
}

Axis axis_of(const std::string& setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  Axis axis{.name = setting.substr(0, equals), .values = {}};
  CommaList list;
  assign({.name = "--set " + axis.name, .value = "", .target = &list, .meaning = ""},
         {equals < setting.size() ? setting.substr(equals + 1) : ""});
  axis.values = std::move(list.items);
  return axis;
}

void refuse_second(const std::vector<Axis>& axes, const std::string& setting,
                   const std::string& name) {
  if (std::ranges::find(axes, name, &Axis::name) != axes.end())
    throw InputError(fmt::format("--set {}: given twice", setting));
}

Axes axes_of(const SweepRequest& request) {
  Axes axes;
  const auto add = [&](const char* name, const CommaList& list) {
    if (!list.items.empty())
      axes.job.push_back({name, list.items});
  };
  add("workload", request.workloads);
  add("cluster", request.clusters);
  add("nodes", request.nodes);
  add("gpus_per_node", request.gpus_per_node);
  for (const std::string& setting : request.settings) {
    if (setting.find(',') == std::string::npos)
      parse_settings(std::vector{setting});  // the usual errors, such as a missing value
    Axis axis = axis_of(setting);
    std::vector<Axis>& kind = is_job_setting(axis.name) ? axes.job : axes.options;
    refuse_second(kind, setting, axis.name);
    kind.push_back(std::move(axis));
  }
  return axes;
}

/// Every option must belong to a schedule of the comparison.
void check_options(const std::vector<std::string>& schedules, std::vector<Axis> options,
                   const Settings& of_experiment) {
  for (const auto& [name, value] : of_experiment.schedule)
    options.push_back({name, {value}});
  for (const Axis& axis : options)
    require_option(schedules, axis.name, fmt::format("{}", fmt::join(axis.values, ",")));
}

/// Calls visit(cells) for every combination of the values, the last axis varying fastest.
template <class Visitor>
void for_each_combination(const std::vector<Axis>& axes, Visitor visit) {
  std::vector<Cell> cells;
  const auto fill = [&](const auto& self, std::size_t depth) -> void {
    if (depth == axes.size())
      return visit(cells);
    for (const std::string& value : axes[depth].values) {
      cells.push_back({axes[depth].name, value});
      self(self, depth + 1);
      cells.pop_back();
    }
  };
  fill(fill, 0);
}

std::optional<std::uint32_t> count_in(const char* option, const Cell& cell) {
  std::optional<std::uint32_t> count;
  assign({.name = option, .value = "", .target = &count, .meaning = ""}, {cell.value});
  return count;
}

/// Writes the combinations of a request, reading every workload and cluster once.
class Planner {
 public:
  Planner(const SweepRequest& request, const std::string& example)
      : request_(request), example_(example), axes_(axes_of(request)) {}

  Sweep plan() && {
    for_each_combination(axes_.job, [&](const std::vector<Cell>& job) { add_job(job); });
    return std::move(sweep_);
  }

 private:
  void add_job(const std::vector<Cell>& job) {
    const std::uint32_t scenario = scenario_of(job);
    std::vector<std::string> schedules = sweep_.scenarios[scenario].schedules;
    if (schedules.empty()) {
      for (const ScheduleInfo& schedule : first_order_schedules())
        schedules.push_back(schedule.name);
    }
    if (sweep_.combinations.empty())
      check_options(schedules, axes_.options, sweep_.scenarios[scenario].settings);
    const auto baseline = static_cast<std::uint32_t>(sweep_.combinations.size());
    for (const std::string& schedule : schedules)
      add_schedule(
          {.cells = job, .scenario = scenario, .schedule = schedule, .baseline = baseline});
  }

  void add_schedule(Combination combination) {
    combination.cells.push_back({"schedule", combination.schedule});
    std::vector<Axis> axes = axes_.options;
    for (Axis& axis : axes) {
      if (!has_option(combination.schedule, axis.name))
        axis.values = {"-"};
    }
    for_each_combination(axes, [&](const std::vector<Cell>& options) {
      Combination complete = combination;
      complete.cells.insert(complete.cells.end(), options.begin(), options.end());
      complete.settings = settings_of(complete);
      sweep_.combinations.push_back(std::move(complete));
    });
  }

  Settings settings_of(const Combination& combination) const {
    std::vector<std::string> arguments;
    std::optional<std::uint32_t> nodes, gpus_per_node;
    for (const Cell& cell : combination.cells) {
      if (cell.name == "nodes")
        nodes = count_in("--nodes", cell);
      else if (cell.name == "gpus_per_node")
        gpus_per_node = count_in("--gpus-per-node", cell);
      else if (is_job_setting(cell.name) ||
               (has_option(combination.schedule, cell.name) && cell.name != "schedule"))
        arguments.push_back(cell.name + "=" + cell.value);
    }
    Settings settings = parse_settings(arguments);
    add_size(settings, nodes, gpus_per_node);
    return settings;
  }

  /// The scenario of the workload and cluster among the cells, with the settings of the experiment
  /// file only.
  std::uint32_t scenario_of(const std::vector<Cell>& job) {
    RunRequest run = request_.run;
    for (const Cell& cell : job) {
      if (cell.name == "workload")
        run.workload = cell.value;
      if (cell.name == "cluster")
        run.cluster = cell.value;
    }
    const auto next = static_cast<std::uint32_t>(sweep_.scenarios.size());
    const auto [known, is_new] = known_.try_emplace({run.workload, run.cluster}, next);
    if (is_new)
      sweep_.scenarios.push_back(resolve(run, example_));
    return known->second;
  }

  const SweepRequest& request_;
  const std::string& example_;
  Axes axes_;
  Sweep sweep_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> known_;
};

bool lists_values(const SweepRequest& request) {
  const auto lists = [](const CommaList& list) { return list.items.size() > 1; };
  return lists(request.workloads) || lists(request.clusters) || lists(request.nodes) ||
         lists(request.gpus_per_node) ||
         std::ranges::any_of(request.settings, [](const std::string& setting) {
           return setting.find(',') != std::string::npos;
         });
}

}  // namespace

bool has_option(const std::string& schedule, const std::string& option) {
  return std::ranges::count(schedule_of(schedule).options, option, &OptionInfo::name) > 0;
}

void require_option(const std::vector<std::string>& schedules, const std::string& option,
                    const std::string& value) {
  std::vector<std::string> known;
  for (const std::string& schedule : schedules)
    for (const OptionInfo& each : schedule_of(schedule).options)
      known.push_back(each.name);
  if (std::ranges::find(known, option) == known.end())
    throw InputError(fmt::format("--set {}={}: none of the schedules has an option {}{}", option,
                                 value, in_quotes(option), did_you_mean(option, known)));
}

ScheduleOptions options_in(const Settings& settings, const std::string& schedule) {
  ScheduleOptions options = settings.schedule;
  std::erase_if(options, [&](const auto& option) { return !has_option(schedule, option.first); });
  return options;
}

Sweep plan_sweep(const SweepRequest& request, const std::string& example) {
  Sweep sweep = Planner(request, example).plan();
  sweep.has_lists = lists_values(request);
  return sweep;
}

}  // namespace stepcast
