#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {
namespace {

bool is_job_setting(const std::string& key) {
  constexpr std::array kKeys{"step_time",    "update_time",      "batch",
                             "global_batch", "batch_fixed_part", "second_workload"};
  return std::ranges::find(kKeys, key) != kKeys.end() || key.starts_with("straggler.") ||
         key.starts_with("cluster.");
}

bool is_of_job(const SweepAxis& axis) {
  return axis.name == "nodes" || axis.name == "gpus_per_node" || is_job_setting(axis.name);
}

constexpr const char* kLayout = "layout";

bool has_layout(const std::string& schedule) {
  return schedule_of(schedule).partitions_model();
}

/// An axis of the request, or what stands for it where a schedule does not have the option.
struct Dial {
  std::string_view name;
  std::span<const std::string> values;
};
using Dials = std::vector<Dial>;

/// The options of a schedule, by itself or with one of the exchanges.
std::vector<std::string> option_names(const std::string& schedule,
                                      std::span<const std::string> exchanges) {
  std::vector<std::string> names;
  const auto add = [&](const ScheduleInfo& info) {
    std::ranges::transform(info.options, std::back_inserter(names), &OptionInfo::name);
  };
  add(schedule_of(schedule));
  for (const std::string& exchange : exchanges)
    add(schedule_of(schedule, {{kExchange, exchange}}));
  return names;
}

/// Throws InputError, naming the nearest, for an option that none of the schedules has.
void require_option(const std::vector<std::string>& schedules,
                    std::span<const std::string> exchanges, const std::string& name,
                    std::span<const std::string> values) {
  std::vector<std::string> known;
  for (const std::string& schedule : schedules)
    std::ranges::move(option_names(schedule, exchanges), std::back_inserter(known));
  if (name == kLayout) {
    if (std::ranges::none_of(schedules, has_layout))
      throw InputError(fmt::format("`layout` {}: none of {} has a layout", fmt::join(values, " "),
                                   fmt::join(schedules, ", ")));
    return;
  }
  if (std::ranges::find(known, name) == known.end())
    throw InputError(fmt::format("`set` {}={}: none of the schedules has an option {}{}", name,
                                 fmt::join(values, ","), in_quotes(name),
                                 did_you_mean(name, known)));
}

/// Every option must belong to a schedule of the comparison.
void check_options(const std::vector<std::string>& schedules, const Dials& options,
                   std::span<const std::string> exchanges, const Settings& of_experiment) {
  for (const Dial& option : options)
    require_option(schedules, exchanges, std::string(option.name), option.values);
  for (const auto& [name, value] : of_experiment.schedule)
    require_option(schedules, exchanges, name, {&value, 1});
}

/// How many values the axes have together: what would be made, before it is.
double values_of(const Dials& dials) {
  double count = 1;
  for (const Dial& dial : dials)
    count *= static_cast<double>(dial.values.size());
  return count;
}

/// Adds the cells of one of these values, the last dial turning fastest.
void add_value(std::vector<Cell>& cells, const Dials& dials, std::uint64_t number) {
  cells.resize(cells.size() + dials.size());
  auto cell = cells.rbegin();
  for (auto dial = dials.rbegin(); dial != dials.rend(); ++dial, ++cell) {
    *cell = {std::string(dial->name), dial->values[number % dial->values.size()]};
    number /= dial->values.size();
  }
}

/// Writes the combinations of a request, reading every workload and cluster once. A place is
/// number of scenario, job and option in mixed radix, so that one combination is made without
/// those before it.
class Planner {
 public:
  explicit Planner(const SweepRequest& request) : request_(request) {
    for (const SweepAxis& axis : request.axes)
      (is_of_scenario(axis) ? of_scenario_
       : is_of_job(axis)    ? of_job_
                            : options_)
          .push_back({axis.name, axis.values});
    for (const SweepAxis& axis : request.axes)
      if (axis.name == kExchange)
        exchanges_ = axis.values;
    if (const auto base = request.base.settings.schedule.find(kExchange);
        base != request.base.settings.schedule.end())
      exchanges_.push_back(base->second);
  }

  Sweep plan() && {
    check_count(values_of(of_scenario_) * values_of(of_job_), "jobs");
    sweep_.places = request_.places;
    const auto scenarios = static_cast<std::uint32_t>(values_of(of_scenario_));
    for (std::uint32_t i = 0; i < scenarios; ++i) {
      std::vector<Cell> cells;
      add_value(cells, of_scenario_, i);
      add_scenario(cells);
    }
    sweep_.chance = fmt::format("{} slow, {} iterations, {} seeds", fmt::join(request_.slow, ";"),
                                request_.iterations, request_.chance.seeds);
    sweep_.has_lists = has_lists(request_);
    return std::move(sweep_);
  }

 private:
  /// A schedule, its options and how many values these have.
  struct Choice {
    std::string schedule;
    Dials options;
    std::uint32_t values = 1;
  };

  static bool is_of_scenario(const SweepAxis& axis) {
    return axis.name == "workload" || axis.name == "cluster";
  }

  bool takes(const std::string& schedule, const std::string& name) const {
    return name == kLayout ? has_layout(schedule)
                           : std::ranges::count(option_names(schedule, exchanges_), name) > 0;
  }

  /// Before they are made: lists multiply, and the memory for 10^12 combinations is not there.
  static void check_count(double count, const char* what) {
    constexpr double kMost = 1'000'000;
    if (count > kMost)
      throw InputError(fmt::format("{:.4g} {}: expected at most {:.0f}; give shorter lists", count,
                                   what, kMost));
  }

  std::vector<Choice> choices_of(const std::vector<std::string>& schedules) const {
    std::vector<Choice> choices;
    for (const std::string& schedule : schedules) {
      Choice& choice = choices.emplace_back(Choice{.schedule = schedule, .options = options_});
      for (Dial& dial : choice.options)
        if (!takes(schedule, std::string(dial.name)))
          dial.values = kNone;
      const double values = values_of(choice.options);
      check_count(values, "combinations");
      choice.values = static_cast<std::uint32_t>(values);
    }
    return choices;
  }

  void add_scenario(const std::vector<Cell>& cells) {
    const std::uint32_t scenario = scenario_of_cells(cells);
    const std::vector<std::string>& schedules = sweep_.schedules[scenario];
    if (sweep_.whole == 0)
      check_options(schedules, options_, exchanges_, sweep_.scenarios[scenario].settings);
    const std::vector<Choice> choices = choices_of(schedules);
    std::uint64_t of_a_job = 0;
    for (const Choice& choice : choices)
      of_a_job += choice.values;
    const double count = values_of(of_job_) * static_cast<double>(of_a_job);
    check_count(sweep_.whole == 0 ? values_of(of_scenario_) * count : sweep_.whole + count,
                "combinations");
    const std::uint32_t begin = sweep_.whole;
    sweep_.whole += static_cast<std::uint32_t>(count);
    while (is_wanted_before(sweep_.whole)) {
      const std::uint32_t place = sweep_.place_of(sweep_.combinations.size());
      const auto job = static_cast<std::uint32_t>((place - begin) / of_a_job);
      Combination combination{.cells = cells,
                              .scenario = scenario,
                              .baseline = begin + job * static_cast<std::uint32_t>(of_a_job)};
      add_value(combination.cells, of_job_, job);
      add_combination(std::move(combination), choices, (place - begin) % of_a_job);
    }
  }

  /// Whether the next place to be made is wanted and comes before this one.
  bool is_wanted_before(std::uint32_t end) const {
    return sweep_.combinations.size() < request_.places.most &&
           std::uint64_t{request_.places.first} +
                   sweep_.combinations.size() * std::uint64_t{request_.places.step} <
               end;
  }

  void add_combination(Combination combination, const std::vector<Choice>& choices,
                       std::uint64_t number) {
    auto choice = choices.begin();
    for (; number >= choice->values; ++choice)
      number -= choice->values;
    combination.schedule = choice->schedule;
    combination.cells.push_back({"schedule", choice->schedule});
    add_value(combination.cells, choice->options, number);
    combination.settings = settings_of(combination);
    sweep_.combinations.push_back(std::move(combination));
  }

  static std::vector<std::string> schedules_of(const Scenario& scenario) {
    std::vector<std::string> schedules = scenario.schedules;
    if (schedules.empty() && scenario.workload.pipeline)
      return orders_of(*scenario.workload.pipeline);
    if (schedules.empty())
      for (const ScheduleInfo& schedule : first_order_schedules())
        if (!schedule.more_work &&
            (scenario.workload.model_group <= 1 || schedule.trains_in_step()))
          schedules.push_back(schedule.name);
    return schedules;
  }

  /// The recorded one, then those with one part of the model on each rank.
  static std::vector<std::string> orders_of(const RecordedPipeline& recorded) {
    std::vector<std::string> orders{recorded.schedule};
    for (const ScheduleInfo& each : all_schedules())
      if (each.partitions_model() && !each.passes.of_user && each.passes.chunks == 1 &&
          each.name != recorded.schedule)
        orders.push_back(each.name);
    return orders;
  }

  Settings settings_of(const Combination& combination) const {
    std::vector<std::string> arguments;
    std::optional<std::uint32_t> nodes, gpus_per_node;
    for (const Cell& cell : combination.cells) {
      if (cell.name == "nodes")
        nodes = parse_count(cell.value, 1);
      else if (cell.name == "gpus_per_node")
        gpus_per_node = parse_count(cell.value, 1);
      else if (cell.name == kLayout && has_layout(combination.schedule))
        for (const auto& [axis, ways] : options_of_layout(cell.value))
          arguments.push_back(axis + "=" + ways);
      else if (is_job_setting(cell.name) ||
               (takes(combination.schedule, cell.name) && cell.name != "schedule"))
        arguments.push_back(cell.name + "=" + cell.value);
    }
    Settings settings = parse_settings(arguments);
    add_size(settings, nodes, gpus_per_node);
    return settings;
  }

  /// The scenario of the workload and cluster among the cells, with the settings of the base only.
  std::uint32_t scenario_of_cells(const std::vector<Cell>& cells) {
    Experiment experiment = request_.base;
    for (const Cell& cell : cells) {
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
      sweep_.schedules.push_back(schedules_of(sweep_.scenarios.back()));
    }
    return known->second;
  }

  inline static const std::vector<std::string> kNone{"-"};

  const SweepRequest& request_;
  Dials of_scenario_;  ///< workload, cluster
  Dials of_job_;       ///< Size, then settings such as batch.
  Dials options_;
  std::vector<std::string> exchanges_;  ///< That are asked for.
  Sweep sweep_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> known_;
};

}  // namespace

bool has_lists(const SweepRequest& request) {
  return std::ranges::any_of(request.axes,
                             [](const SweepAxis& axis) { return axis.values.size() > 1; });
}

bool has_option(const std::string& schedule, const std::string& option,
                const ScheduleOptions& others) {
  return std::ranges::count(schedule_of(schedule, others).options, option, &OptionInfo::name) > 0;
}

ScheduleOptions options_in(const Settings& settings, const std::string& schedule) {
  ScheduleOptions options = settings.schedule;
  std::erase_if(options, [&](const auto& option) {
    return !has_option(schedule, option.first, settings.schedule);
  });
  return options;
}

Sweep plan_sweep(const SweepRequest& request) {
  return Planner(request).plan();
}

}  // namespace stepcast
