#include "sim/forecast/tuning/tune.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/planned_run.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/forecast/tuning/plan_hash.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

// DeAR searches 1 to 256 MB and begins at 25 MB.
constexpr const char* kLowSize = "1MiB";
constexpr const char* kHighSize = "256MiB";
constexpr const char* kFirstSize = "25MiB";
constexpr std::uint32_t kTrials = 10;
constexpr std::uint32_t kMostPlans = 4096;

const OptionInfo& option_of(const ScheduleInfo& schedule, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionInfo& option : schedule.options) {
    if (option.name == name)
      return option;
    names.push_back(option.name);
  }
  throw InputError(fmt::format("`option`: {} has no option {}: expected one of {}{}", schedule.name,
                               in_quotes(name), fmt::join(names, ", "), did_you_mean(name, names)));
}

/// Returns the kind of an option whose values are numbers.
OptionKind tunable_kind(const OptionInfo& option) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(
        fmt::format("`option` {}: is {}, not a number to be tuned", option.name, what));
  };
  if (option.kind == OptionKind::Series || option.kind == OptionKind::Text)
    refuse(fmt::format("a {}", name_of(option.kind)));
  if (option.kind == OptionKind::Choice)
    refuse(fmt::format("one of {}", fmt::join(option.words, ", ")));
  return option.kind;
}

double parse_argument(const char* name, OptionKind kind, const std::string& text) try {
  return parse_value(kind, text);
} catch (const InputError& error) {
  throw InputError(fmt::format("`{}`: {}", name, error.what()));
}

/// Written the way it will be set, so that both ends can be measured.
std::string model_size(const ScheduledJob& job) {
  return write_value(OptionKind::Size, parameter_size(job.workload).value);
}

void check(const SearchRange& range, const std::string& low, const std::string& high) {
  if (range.low > range.high)
    throw InputError(fmt::format("`low` {} `high` {}: the range is reversed", low, high));
  if (range.low == range.high)
    throw InputError(fmt::format("`low` {} `high` {}: the range is empty", low, high));
  if (range.logarithmic && range.low <= 0)
    throw InputError(fmt::format("`low` {}: a logarithmic scale needs a range above zero", low));
}

struct Ends {
  std::string low;
  std::string high;
};

/// Sizes have DeAR's range or, for a binary search, up to the model; others what the option takes,
/// where it says both ends.
Ends usual_ends(const ScheduledJob& job, const TuningRequest& request, const OptionInfo& option) {
  const bool is_binary = request.strategy == "binary";
  if (option.kind == OptionKind::Size)
    return is_binary ? Ends{"0B", model_size(job)} : Ends{kLowSize, kHighSize};
  const OptionRange& range = option.range;
  constexpr double kMostCounts = 1024;  // beyond it nobody knows where to search
  const bool is_wide = option.kind == OptionKind::Count && range.most - range.least > kMostCounts;
  if (range.above_least || range.below_most || range.most == OptionRange{}.most || is_wide)
    return {};
  return {write_value(tunable_kind(option), range.least),
          write_value(tunable_kind(option), range.most)};
}

SearchRange range_of(const ScheduledJob& job, const TuningRequest& request,
                     const OptionInfo& option) {
  const OptionKind kind = tunable_kind(option);
  const Ends usual = usual_ends(job, request, option);
  const std::string low = request.low.empty() ? usual.low : request.low;
  const std::string high = request.high.empty() ? usual.high : request.high;
  if (low.empty() || high.empty())
    throw InputError(
        fmt::format("`option` {}: give the range to search with `low` and `high`", option.name));
  SearchRange range{.kind = kind,
                    .low = parse_argument("low", kind, low),
                    .high = parse_argument("high", kind, high)};
  constexpr double kDecade = 10;
  range.logarithmic =
      request.logarithmic.value_or(range.low > 0 && range.high / range.low >= kDecade);
  check(range, low, high);
  return range;
}

/// What the user asks for; else DeAR's, or the option's default, where it is inside the range; else
/// the middle.
double first_of(const TuningRequest& request, const OptionInfo& option, const SearchRange& range) {
  const auto is_inside = [&](double value) { return value >= range.low && value <= range.high; };
  if (!request.first.empty()) {
    const double first = parse_argument("first", range.kind, request.first);
    if (!is_inside(first))
      throw InputError(fmt::format("`first` {}: is outside the range {} to {}", request.first,
                                   write_value(range.kind, range.low),
                                   write_value(range.kind, range.high)));
    return first;
  }
  const bool is_size = range.kind == OptionKind::Size;
  const std::string usual = is_size ? kFirstSize : option.default_value;
  try {
    const double first = parse_value(range.kind, usual);
    return is_inside(first) ? first : range.at(0.5);
  } catch (const InputError&) {
    return range.at(0.5);
  }
}

void check_job(const ScheduledJob& job, const std::string& option) {
  const auto given = job.options.find(option);
  if (given != job.options.end())
    throw InputError(
        fmt::format("`set` {}={}: is the option that is tuned", option, given->second));
  if (const std::string search = fusion_search_of(job); !search.empty())
    throw InputError(
        fmt::format("`set` fusion={}: already tunes fusion_buffer; to tune {}, give fusion=buffer",
                    search, option));
}

ScheduledJob with_option(ScheduledJob job, const std::string& option, const std::string& text) {
  job.options[option] = text;
  return job;
}

/// An asynchronous schedule has no plan whose steady step could be measured.
Measurement forecast_measurement(const ScheduledJob& job) {
  Scenario scenario{.original_workload = job.workload,
                    .original_cluster = job.cluster,
                    .workload = job.workload,
                    .cluster = job.cluster,
                    .schedules = {job.schedule},
                    .settings = {.schedule = job.options},
                    .engine = job.engine};
  const Forecast forecast = simulated(scenario, job.schedule).forecast;
  return {.time = forecast.iteration_time,
          .samples = forecast.throughput * forecast.iteration_time.value};
}

/// The first of the fastest.
std::size_t best_of(const std::vector<Trial>& trials) {
  const auto fastest = std::ranges::min_element(trials, {}, &Trial::per_sample);
  if (!fastest->is_feasible())
    throw InputError(trials.back().refusal);
  return static_cast<std::size_t>(fastest - trials.begin());
}

}  // namespace

Measurement measured(const ScheduledJob& job) {
  if (schedule_of(job.schedule).asynchronous)
    return forecast_measurement(job);
  const PlannedRun run = planned(job);
  return {.time = step_time_of(run.plan, job.cluster, run.engine),
          .samples = run.plan.summary.samples};
}

SearchRange range_of(const ScheduledJob& job, const TuningRequest& request) {
  if (request.trials.value_or(0) > kMostPlans)
    throw InputError(fmt::format("`trials` {}: expected at most {}", *request.trials, kMostPlans));
  return range_of(job, request, option_of(schedule_of(job.schedule, job.options), request.option));
}

Tuning tune(const ScheduledJob& job, const TuningRequest& request) {
  const StopsBetweenJobs stops;
  const StrategyInfo& strategy = strategy_of(request.strategy);
  const OptionInfo& option = option_of(schedule_of(job.schedule, job.options), request.option);
  check_job(job, option.name);
  const bool is_exhaustive = strategy.search == search_exhaustive;
  SearchTask task{.range = range_of(job, request),
                  .most_trials = request.trials.value_or(is_exhaustive ? kMostPlans : kTrials),
                  .seed = request.seed,
                  .xi = request.xi};
  task.first = first_of(request, option, task.range);
  task.measure = [&](const std::string& text) {
    if (stop_signal() != 0)
      throw Stopped(stop_signal());
    if (const auto known = request.known ? request.known(text) : std::nullopt)
      return *known;
    return measured(with_option(job, option.name, text));
  };
  task.tried = request.tried;
  task.plan_of = [&](const std::string& text) -> std::uint64_t {
    try {
      return hash_of(build_plan(job.schedule, job.workload, job.cluster,
                                with_option(job, option.name, text).options));
    } catch (const InputError&) {
      return std::hash<std::string>{}(text);  // what lies beside a refused value may be feasible
    }
  };
  Search search(task);
  try {
    strategy.search(search);
  } catch (const Stopped&) {  // the best of the trials that are there, if any
    if (search.trials().empty())
      throw;
  }
  Tuning tuning{.option = option.name,
                .strategy = strategy.name,
                .range = task.range,
                .seed = request.seed,
                .trials = search.trials()};
  tuning.best = best_of(tuning.trials);
  return tuning;
}

}  // namespace stepcast
