#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {
namespace {

bool is_job_setting(const std::string& key) {
  constexpr std::array kKeys{"step_time", "batch", "global_batch", "batch_fixed_part",
                             "second_workload"};
  return std::ranges::find(kKeys, key) != kKeys.end() || key.starts_with("straggler.") ||
         key.starts_with("cluster.");
}

bool is_of_job(const SweepAxis& axis) {
  return axis.name == "workload" || axis.name == "cluster" || axis.name == "nodes" ||
         axis.name == "gpus_per_node" || is_job_setting(axis.name);
}

/// Throws InputError, naming the nearest, for an option that none of the schedules has.
void require_option(const std::vector<std::string>& schedules, const SweepAxis& option) {
  std::vector<std::string> known;
  for (const std::string& schedule : schedules)
    for (const OptionInfo& each : schedule_of(schedule).options)
      known.push_back(each.name);
  if (std::ranges::find(known, option.name) == known.end())
    throw InputError(fmt::format("`set` {}={}: none of the schedules has an option {}{}",
                                 option.name, fmt::join(option.values, ","), in_quotes(option.name),
                                 did_you_mean(option.name, known)));
}

/// Every option must belong to a schedule of the comparison.
void check_options(const std::vector<std::string>& schedules, std::vector<SweepAxis> options,
                   const Settings& of_experiment) {
  for (const auto& [name, value] : of_experiment.schedule)
    options.push_back({name, {value}});
  for (const SweepAxis& option : options)
    require_option(schedules, option);
}

/// Calls visit(cells) for every combination of the values, the last axis varying fastest.
template <class Visitor>
void for_each_value(const std::vector<SweepAxis>& axes, Visitor visit) {
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

/// Writes the combinations of a request, reading every workload and cluster once.
class Planner {
 public:
  explicit Planner(const SweepRequest& request) : request_(request) {
    for (const SweepAxis& axis : request.axes)
      (is_of_job(axis) ? of_job_ : options_).push_back(axis);
  }

  Sweep plan() && {
    check_count(values_of(of_job_), "jobs");
    for_each_value(of_job_, [&](const std::vector<Cell>& job) { add_job(job); });
    sweep_.chance = fmt::format("{} slow, {} iterations, {} seeds", fmt::join(request_.slow, ";"),
                                request_.iterations, request_.chance.seeds);
    sweep_.has_lists = std::ranges::any_of(
        request_.axes, [](const SweepAxis& axis) { return axis.values.size() > 1; });
    return std::move(sweep_);
  }

 private:
  /// Before they are made: lists multiply, and the memory for 10^12 combinations is not there.
  static void check_count(double count, const char* what) {
    constexpr double kMost = 1'000'000;
    if (count > kMost)
      throw InputError(fmt::format("{:.4g} {}: expected at most {:.0f}; give shorter lists", count,
                                   what, kMost));
  }

  static double values_of(const std::vector<SweepAxis>& axes) {
    double count = 1;
    for (const SweepAxis& axis : axes)
      count *= static_cast<double>(axis.values.size());
    return count;
  }

  double values_of_schedules(const std::vector<std::string>& schedules) const {
    double count = 0;
    for (const std::string& schedule : schedules) {
      std::vector<SweepAxis> axes = options_;
      std::erase_if(axes, [&](const SweepAxis& axis) { return !has_option(schedule, axis.name); });
      count += values_of(axes);
    }
    return count;
  }

  void add_job(const std::vector<Cell>& job) {
    const std::uint32_t scenario = scenario_of_job(job);
    const std::vector<std::string> schedules = schedules_of(sweep_.scenarios[scenario]);
    if (sweep_.combinations.empty()) {
      check_options(schedules, options_, sweep_.scenarios[scenario].settings);
      check_count(values_of(of_job_) * values_of_schedules(schedules), "combinations");
    }
    const auto baseline = static_cast<std::uint32_t>(sweep_.combinations.size());
    for (const std::string& schedule : schedules)
      add_schedule(
          {.cells = job, .scenario = scenario, .schedule = schedule, .baseline = baseline});
  }

  std::vector<std::string> schedules_of(const Scenario& scenario) const {
    std::vector<std::string> schedules = scenario.schedules;
    const bool all = request_.second_order && scenario.workload.kfac.has_value();
    if (schedules.empty())
      for (const ScheduleInfo& schedule : all ? all_schedules() : first_order_schedules())
        schedules.push_back(schedule.name);
    return schedules;
  }

  void add_schedule(Combination combination) {
    combination.cells.push_back({"schedule", combination.schedule});
    std::vector<SweepAxis> axes = options_;
    for (SweepAxis& axis : axes) {
      if (!has_option(combination.schedule, axis.name))
        axis.values = {"-"};
    }
    for_each_value(axes, [&](const std::vector<Cell>& options) {
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
        nodes = parse_count(cell.value, 1);
      else if (cell.name == "gpus_per_node")
        gpus_per_node = parse_count(cell.value, 1);
      else if (is_job_setting(cell.name) ||
               (has_option(combination.schedule, cell.name) && cell.name != "schedule"))
        arguments.push_back(cell.name + "=" + cell.value);
    }
    Settings settings = parse_settings(arguments);
    add_size(settings, nodes, gpus_per_node);
    return settings;
  }

  /// The scenario of the workload and cluster among the cells, with the settings of the base only.
  std::uint32_t scenario_of_job(const std::vector<Cell>& job) {
    Experiment experiment = request_.base;
    for (const Cell& cell : job) {
      if (cell.name == "workload")
        experiment.workload = cell.value;
      if (cell.name == "cluster")
        experiment.cluster = cell.value;
    }
    const auto next = static_cast<std::uint32_t>(sweep_.scenarios.size());
    const auto [known, is_new] =
        known_.try_emplace({experiment.workload, experiment.cluster}, next);
    if (is_new) {
      sweep_.scenarios.push_back(scenario_of(std::move(experiment), request_.fold));
      add_chance(sweep_.scenarios.back(), request_.slow, request_.iterations, request_.chance);
    }
    return known->second;
  }

  const SweepRequest& request_;
  std::vector<SweepAxis> of_job_;  ///< workload, cluster, size, then settings such as batch.
  std::vector<SweepAxis> options_;
  Sweep sweep_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> known_;
};

}  // namespace

bool has_option(const std::string& schedule, const std::string& option) {
  return std::ranges::count(schedule_of(schedule).options, option, &OptionInfo::name) > 0;
}

ScheduleOptions options_in(const Settings& settings, const std::string& schedule) {
  ScheduleOptions options = settings.schedule;
  std::erase_if(options, [&](const auto& option) { return !has_option(schedule, option.first); });
  return options;
}

Sweep plan_sweep(const SweepRequest& request) {
  return Planner(request).plan();
}

}  // namespace stepcast
