#include "sim/report/text/tuning_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/forecast/likely_range.hpp"
#include "sim/forecast/shared_notes.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/plot.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostListed = 40;

double throughput_of(const Trial& trial) {
  return trial.found.samples / trial.found.time.value;
}

/// Whether values differ in the samples of a step, so that iteration times do not compare.
bool samples_differ(const Tuning& tuning) {
  const double samples = tuning.best_trial().found.samples;
  return std::ranges::any_of(tuning.trials, [&](const Trial& trial) {
    return trial.is_feasible() && trial.found.samples != samples;
  });
}

/// For every trial the best up to it; an infeasible one where there is none yet.
std::vector<Trial> best_so_far(const Tuning& tuning) {
  std::vector<Trial> best;
  for (const Trial& trial : tuning.trials) {
    const bool improves = best.empty() || trial.per_sample() < best.back().per_sample();
    best.push_back(improves ? trial : best.back());
  }
  return best;
}

std::vector<Trial> feasible_of(const Tuning& tuning) {
  std::vector<Trial> feasible;
  std::ranges::copy_if(tuning.trials, std::back_inserter(feasible), &Trial::is_feasible);
  return feasible;
}

std::string text_of(const Tuning& tuning, double value) {
  return write_value(tuning.range.kind, value);
}

std::string seed_of(const Tuning& tuning) {
  const bool is_used = std::ranges::count(strategy_of(tuning.strategy).uses, "seed") > 0;
  return is_used ? fmt::format(", seed {}", tuning.seed) : "";
}

std::string head_of(const ScheduledJob& job, const Tuning& tuning) {
  const std::string what =
      fmt::format("{} of {}: {}", tuning.option, job.schedule,
                  setup_of(job.workload.name, job.cluster, job.engine.fidelity));
  const std::string how =
      fmt::format("{} from {} to {}, {} trial{}{}", tuning.strategy,
                  text_of(tuning, tuning.range.low), text_of(tuning, tuning.range.high),
                  tuning.trials.size(), tuning.trials.size() == 1 ? "" : "s", seed_of(tuning));
  return wrap(what, 2) + wrap(how, 2);
}

std::string time_cell(const Trial& trial) {
  return trial.is_feasible() ? milliseconds(trial.found.time) : "infeasible";
}

std::string rate_cell(const Trial& trial) {
  return trial.is_feasible() ? fmt::format("{:.1f}", throughput_of(trial)) : "-";
}

std::vector<Column> columns_of(const Tuning& tuning) {
  if (samples_differ(tuning))
    return {{"trial"},     {tuning.option},           {"iteration ms"},
            {"samples/s"}, {"best so far samples/s"}, {"", Align::Left}};
  return {{"trial"}, {tuning.option}, {"iteration ms"}, {"best so far ms"}, {"", Align::Left}};
}

std::vector<std::string> cells_of(const Trial& trial, const Trial& best, bool with_rates) {
  if (with_rates)
    return {trial.text, time_cell(trial), rate_cell(trial), rate_cell(best)};
  return {trial.text, time_cell(trial), best.is_feasible() ? time_cell(best) : "-"};
}

std::string trial_table(const Tuning& tuning) {
  Table table{columns_of(tuning), {}};
  const std::vector<Trial> best = best_so_far(tuning);
  const bool with_rates = samples_differ(tuning);
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const Trial& trial = tuning.trials[i];
    const bool improves =
        trial.is_feasible() && (i == 0 || trial.per_sample() < best[i - 1].per_sample());
    if (!improves && tuning.trials.size() > kMostListed)
      continue;
    std::vector<std::string> row{std::to_string(i + 1)};
    std::ranges::move(cells_of(trial, best[i], with_rates), std::back_inserter(row));
    row.emplace_back(improves ? "*" : "");
    table.rows.push_back(std::move(row));
  }
  return render(table);
}

std::string plot_of(const Tuning& tuning) {
  const bool with_rates = samples_differ(tuning);
  const auto height = [&](const Trial& trial) {
    return with_rates ? throughput_of(trial) : trial.found.time.value;
  };
  const std::vector<Trial> feasible = feasible_of(tuning);
  const auto ends = std::ranges::minmax(feasible, {}, height);
  const double span = height(ends.max) - height(ends.min);
  const auto place = [&](const Trial& trial, char mark) {
    const double up = span > 0 ? (height(trial) - height(ends.min)) / span : 0;
    return PlotPoint{.across = tuning.range.share_of(trial.value), .up = up, .mark = mark};
  };
  std::vector<PlotPoint> points;
  for (const Trial& trial : feasible)
    points.push_back(place(trial, '*'));
  points.push_back(place(tuning.best_trial(), '#'));
  const auto label = [&](const Trial& trial) {
    return with_rates ? rate_cell(trial) + " samples/s" : milliseconds(trial.found.time) + " ms";
  };
  return render_plot(points, {.left = text_of(tuning, tuning.range.low),
                              .right = text_of(tuning, tuning.range.high),
                              .bottom = label(ends.min),
                              .top = label(ends.max),
                              .across = tuning.option});
}

std::string gain_of(const Tuning& tuning) {
  const Trial& best = tuning.best_trial();
  const Trial& first = tuning.trials.front();
  if (tuning.best == 0 || !first.is_feasible())
    return "";
  if (samples_differ(tuning))
    return fmt::format(", {:.1f} % more samples/s than {}, the first trial",
                       100 * (throughput_of(best) / throughput_of(first) - 1), first.text);
  return fmt::format(", {:.1f} % less than {}, the first trial",
                     100 * (1 - best.found.time / first.found.time), first.text);
}

std::string best_line(const Tuning& tuning) {
  const Trial& best = tuning.best_trial();
  const Trial slowest = std::ranges::max(feasible_of(tuning), {}, &Trial::per_sample);
  if (slowest.per_sample() == best.per_sample() && !samples_differ(tuning))
    return fmt::format("{} changes nothing: {} at every value tried", tuning.option,
                       format_seconds(best.found.time));
  const std::string rate =
      samples_differ(tuning) ? fmt::format(", {:.1f} samples/s", throughput_of(best)) : "";
  return fmt::format("best: {}={}, {}{}, found at trial {}{}", tuning.option, best.text,
                     format_seconds(best.found.time), rate, tuning.best + 1, gain_of(tuning));
}

std::string refusals_of(const Tuning& tuning) {
  const auto refused = std::ranges::find_if_not(tuning.trials, &Trial::is_feasible);
  if (refused == tuning.trials.end())
    return "";
  const auto count = tuning.trials.size() - feasible_of(tuning).size();
  return wrap(fmt::format("infeasible: {} of {}, such as {}: {}", count, tuning.trials.size(),
                          refused->text, refused->refusal),
              2);
}

std::string text_of(const Notes& notes) {
  SharedNotes shared;
  shared.add("the best", notes);
  return text_of(shared);
}

LikelyStep likely_of(const ScheduledJob& job, const Trial& trial) {
  return likely_step(shipped_range(job.schedule, job.workload.device, job.cluster),
                     trial.found.time);
}

std::string conclusion_of(const ScheduledJob& job, const Tuning& tuning) {
  return wrap(best_line(tuning), 2) + likely_line(likely_of(job, tuning.best_trial())) +
         refusals_of(tuning);
}

nlohmann::ordered_json trial_json(const ScheduledJob& job, const Tuning& tuning,
                                  std::size_t index) {
  const Trial& trial = tuning.trials[index];
  nlohmann::ordered_json json{{"trial", index + 1}, {"text", trial.text}, {"value", trial.value}};
  json["iteration_time_s"] = nullptr;
  json["throughput_samples_per_s"] = nullptr;
  if (trial.is_feasible()) {
    json["iteration_time_s"] = trial.found.time.value;
    add_likely(json, likely_of(job, trial));
    json["throughput_samples_per_s"] = throughput_of(trial);
  } else {
    json["infeasible"] = trial.refusal;
  }
  return json;
}

}  // namespace

std::string render_tuning(const ScheduledJob& job, const Tuning& tuning, const Notes& notes) {
  return fmt::format("{}\n{}\n{}\n{}{}", head_of(job, tuning), trial_table(tuning), plot_of(tuning),
                     conclusion_of(job, tuning), text_of(notes));
}

std::string tuning_json(const ScheduledJob& job, const Tuning& tuning, const Notes& notes) {
  nlohmann::ordered_json json;
  json["version"] = STEPCAST_VERSION;
  json["workload"] = job.workload.name;
  json["cluster"] = job.cluster.name;
  json["gpus"] = job.cluster.ranks();
  json["schedule"] = {{"name", job.schedule}, {"options", job.options}};
  json["fidelity"] = name_of(job.engine.fidelity);
  json["option"] = tuning.option;
  json["unit"] = unit_of(tuning.range.kind);
  json["low"] = tuning.range.low;
  json["high"] = tuning.range.high;
  json["scale"] = tuning.range.logarithmic ? "log" : "linear";
  json["strategy"] = tuning.strategy;
  json["seed"] = tuning.seed;
  json["best"] = trial_json(job, tuning, tuning.best);
  json["notes"] = texts_of(notes);
  json["trials"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < tuning.trials.size(); ++i)
    json["trials"].push_back(trial_json(job, tuning, i));
  return printed(json);
}

std::string tuning_csv_head(const std::string& option, OptionKind kind) {
  const bool has_unit = kind == OptionKind::Size || kind == OptionKind::Time;
  return csv_line({"trial", option,
                   fmt::format("{}_{}", option, has_unit ? unit_of(kind) : "value"),
                   "iteration_time_s", "best_so_far_s", "throughput_samples_per_s"});
}

std::string tuning_csv_row(std::size_t number, const Trial& trial, const Trial& best) {
  const auto written = [](const Trial& of, double value) {
    return of.is_feasible() ? csv_number(value) : "";
  };
  return csv_line({std::to_string(number), trial.text, csv_number(trial.value),
                   written(trial, trial.found.time.value), written(best, best.found.time.value),
                   written(trial, throughput_of(trial))});
}

}  // namespace stepcast
