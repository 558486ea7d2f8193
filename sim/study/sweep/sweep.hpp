#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/archive.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/study/sweep/inputs_key.hpp"

namespace stepcast {

/// Something that a sweep varies, and its value in one combination.
struct Cell {
  std::string name;   ///< "workload", "nodes", "fusion_buffer"
  std::string value;  ///< "-" for an option that the schedule does not have.
};

auto fields_of(Is<Cell> auto& cell) {
  auto& [name, value] = cell;
  return std::tie(name, value);
}

/// Something that a sweep varies, and all its values.
struct SweepAxis {
  std::string name;  ///< "workload", "cluster", "nodes", "gpus_per_node" or a key of the settings.
  std::vector<std::string> values;
};

/// Places of a sweep: at most so many from the first on, every step-th.
struct SweepPlaces {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t most = 1'000'000;
};

/// What to forecast: every combination of the values of the axes.
struct SweepRequest {
  Experiment base;  ///< What no axis says. Without schedules: all that run without more ado.
  std::vector<SweepAxis> axes;      ///< Of workloads and clusters first.
  std::vector<std::string> slow{};  ///< As of add_chance(), with what follows.
  std::uint32_t iterations = 0;
  Chance chance{};
  bool fold = true;
  SweepPlaces places{};  ///< Which to plan: a sweep may be too long to be held at once.
};

/// One forecast to make.
struct Combination {
  std::vector<Cell> cells;     ///< Name and value of everything that the sweep lists.
  std::uint32_t scenario = 0;  ///< Index into Sweep::scenarios.
  Settings settings;           ///< Of the axes; options only of this schedule.
  std::string schedule;
  std::uint32_t baseline = 0;  ///< The place of the first combination of the same job.
};

/// Every combination, in the order of the axes: workloads, clusters, sizes and other settings
/// of the job outermost, then schedules, then their options. An option multiplies only the
/// schedules that have it.
struct Sweep {
  std::vector<Scenario> scenarios;  ///< One for each pair of workload and cluster.
  std::vector<Combination> combinations;
  bool has_lists = false;  ///< More than schedules vary.
  std::string chance{};    ///< What the request says of it, for key_of().
  /// The names of schedules that each scenario is forecast for.
  std::vector<std::vector<std::string>> schedules{};
  SweepPlaces places{};     ///< Of the combinations in the whole sweep,
  std::uint32_t whole = 0;  ///< which has so many.

  std::uint32_t place_of(std::size_t combination) const {
    return places.first + static_cast<std::uint32_t>(combination) * places.step;
  }
};

/// Whether more than schedules vary.
bool has_lists(const SweepRequest& request);

/// Whether the schedule has the option beside others, of which `exchange` brings some.
bool has_option(const std::string& schedule, const std::string& option,
                const ScheduleOptions& others = {});

/// The options among the settings that the schedule has.
ScheduleOptions options_in(const Settings& settings, const std::string& schedule);

/// Throws InputError for unknown names, bad values, and options that no schedule has.
Sweep plan_sweep(const SweepRequest& request);

/// The scenario of a combination, its settings applied; options only those of its schedule.
Scenario scenario_of(const Sweep& sweep, const Combination& combination);

/// How a study is run. The result is the same for any number of workers.
struct StudyRules {
  std::uint32_t workers = 1;
  std::function<void()> finished = [] {};  ///< After each combination.
};

/// What a study found of a combination.
template <class Result>
struct Found {
  std::uint32_t combination = 0;
  Result result{};
};

/// The bytes that `work` returns for the combination of each number, in their order. It runs in
/// forked processes. An error names the combination where several things vary. When a signal asks
/// to stop, what is there of whole jobs is kept, if there are any: a job is all combinations of one
/// baseline. Else the study throws Stopped.
std::vector<Found<std::string>> find_bytes(
    const Sweep& sweep, const StudyRules& rules,
    const std::function<std::string(std::uint32_t combination)>& work);

/// The same for any result that has fields (see models/base/fields.hpp): what every study that asks
/// something of its own of each combination is run by.
template <class Result, class Work>
std::vector<Found<Result>> find_each(const Sweep& sweep, const StudyRules& rules,
                                     const Work& work) {
  std::vector<Found<Result>> all;
  const auto bytes = [&](std::uint32_t combination) { return bytes_of(Result(work(combination))); };
  for (const Found<std::string>& each : find_bytes(sweep, rules, bytes))
    all.push_back({each.combination, from_bytes<Result>(each.result)});
  return all;
}

/// How one combination of a sweep ended.
struct SweepResult {
  std::optional<Forecast> forecast{};
  std::string refusal{};  ///< Why there is no forecast; empty too where a signal came before it.
  bool died = false;      ///< Its worker died, and the fresh one that tried again.
};

struct SweepRules {
  std::uint32_t workers = 1;
  bool keep_going = false;                    ///< A combination that is refused stops no other.
  std::map<std::uint32_t, Forecast> known{};  ///< From an earlier run, by combination.
  /// In this process after every combination that was not known, as they end.
  std::function<void(std::uint32_t combination, const SweepResult& result)> finished{};
  std::function<void()> progress{};  ///< The same, of sweep_texts().
};

/// A result for each combination, in their order. Without `keep_going` throws what the first
/// refused one threw. When a signal asks to stop, those not there yet are empty; see
/// StopsBetweenJobs.
std::vector<SweepResult> sweep_results(const Sweep& sweep, const SweepRules& rules);

/// What is left of a forecast where all of them would be too many to hold.
struct SweepText {
  std::string text{};     ///< What `text` of sweep_texts() made of it.
  std::string refusal{};  ///< As of SweepResult.
  bool died = false;
};

/// As sweep_results(), but of each forecast what `text` makes of it, in the process that made the
/// forecast.
std::vector<SweepText> sweep_texts(
    const Sweep& sweep, const SweepRules& rules,
    const std::function<std::string(std::uint32_t combination, const Forecast&)>& text);

/// "nodes=4, schedule=dear"
std::string name_of(const Combination& combination);

/// The same string for the same inputs, settings and version of the program: workload, cluster with
/// its curves, schedule and options.
std::string key_of(const Sweep& sweep, const Combination& combination);

/// Such keys of many combinations: the texts of workload and cluster, which are long, are written
/// once for each job, that is for all schedules and options of it.
class SweepKeys {
 public:
  /// The sweep must outlive it.
  explicit SweepKeys(const Sweep& sweep) : sweep_(sweep) {}

  /// Throws InputError for a combination whose scenario is refused.
  std::string key_of(const Combination& combination);

 private:
  const Sweep& sweep_;
  std::optional<std::pair<std::uint32_t, bool>> job_;  ///< Whose inputs head_ has taken in.
  TextKey head_;
};

/// One forecast of a sweep, for a report.
struct SweepRow {
  std::vector<Cell> cells;  ///< The same names in every row.
  Forecast forecast;
  std::size_t baseline = 0;  ///< Row that its speed-up is against: the first of the same job.
};

/// A row for each combination that has a forecast.
std::vector<SweepRow> rows_of(const Sweep& sweep, const std::vector<SweepResult>& results);

}  // namespace stepcast
