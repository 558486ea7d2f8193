#include "sim/report/tuning_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/plot.hpp"
#include "sim/report/table.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostListed = 40;

std::string milliseconds(Seconds time) {
  return fmt::format("{:.2f}", time.value * 1e3);
}

/// For every trial the shortest time up to it.
std::vector<Seconds> best_so_far(const Tuning& tuning) {
  std::vector<Seconds> best;
  for (const Trial& trial : tuning.trials)
    best.push_back(best.empty() ? trial.time : std::min(best.back(), trial.time));
  return best;
}

std::string text_of(const Tuning& tuning, double value) {
  return write_value(tuning.range.unit, value);
}

std::string head_of(const TuningJob& job, const Tuning& tuning) {
  const Cluster& cluster = job.cluster;
  const std::string what =
      fmt::format("{} of {}: {} on {}, {} GPUs ({} x {}), {} fidelity", tuning.option, job.schedule,
                  job.workload.name, cluster.name, cluster.ranks(), cluster.nodes,
                  cluster.gpus_per_node, name_of(job.engine.fidelity));
  const std::string how = fmt::format(
      "{} from {} to {}, {} trials, seed {}", tuning.strategy, text_of(tuning, tuning.range.low),
      text_of(tuning, tuning.range.high), tuning.trials.size(), tuning.seed);
  return wrap(what, 2) + wrap(how, 2);
}

std::string trial_table(const Tuning& tuning) {
  Table table{{{"trial"}, {tuning.option}, {"iteration ms"}, {"best so far ms"}, {"", Align::Left}},
              {}};
  const std::vector<Seconds> best = best_so_far(tuning);
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const Trial& trial = tuning.trials[i];
    const bool improves = i == 0 || trial.time < best[i - 1];
    if (!improves && tuning.trials.size() > kMostListed)
      continue;
    table.rows.push_back({std::to_string(i + 1), trial.text, milliseconds(trial.time),
                          milliseconds(best[i]), improves ? "*" : ""});
  }
  return render(table);
}

std::string plot_of(const Tuning& tuning) {
  const auto [fastest, slowest] = std::ranges::minmax(tuning.trials, {}, &Trial::time);
  const Seconds span = slowest.time - fastest.time;
  const auto place = [&](const Trial& trial, char mark) {
    const double up = span > Seconds{} ? (trial.time - fastest.time) / span : 0;
    return PlotPoint{.across = tuning.range.share_of(trial.value), .up = up, .mark = mark};
  };
  std::vector<PlotPoint> points;
  for (const Trial& trial : tuning.trials)
    points.push_back(place(trial, '*'));
  points.push_back(place(tuning.best_trial(), '#'));
  return render_plot(points, {.left = text_of(tuning, tuning.range.low),
                              .right = text_of(tuning, tuning.range.high),
                              .bottom = milliseconds(fastest.time) + " ms",
                              .top = milliseconds(slowest.time) + " ms",
                              .across = tuning.option});
}

std::string conclusion_of(const Tuning& tuning) {
  const Trial& best = tuning.best_trial();
  const Trial& first = tuning.trials.front();
  const Trial slowest = std::ranges::max(tuning.trials, {}, &Trial::time);
  if (slowest.time == best.time)
    return wrap(fmt::format("{} changes nothing: {} at every value tried", tuning.option,
                            format_seconds(best.time)),
                2);
  std::string text = fmt::format("best: {}={}, {}, found at trial {}", tuning.option, best.text,
                                 format_seconds(best.time), tuning.best + 1);
  if (tuning.best > 0)
    text += fmt::format(", {:.1f} % less than {}, the first trial",
                        100 * (1 - best.time / first.time), first.text);
  return wrap(text, 2);
}

nlohmann::ordered_json trial_json(const Tuning& tuning, std::size_t index) {
  const Trial& trial = tuning.trials[index];
  return {{"trial", index + 1},
          {"text", trial.text},
          {"value", trial.value},
          {"iteration_time_s", trial.time.value}};
}

}  // namespace

std::string render_tuning(const TuningJob& job, const Tuning& tuning) {
  return fmt::format("{}\n{}\n{}\n{}", head_of(job, tuning), trial_table(tuning), plot_of(tuning),
                     conclusion_of(tuning));
}

std::string tuning_json(const TuningJob& job, const Tuning& tuning) {
  nlohmann::ordered_json json;
  json["version"] = STEPCAST_VERSION;
  json["workload"] = job.workload.name;
  json["cluster"] = job.cluster.name;
  json["gpus"] = job.cluster.ranks();
  json["schedule"] = {{"name", job.schedule}, {"options", job.options}};
  json["fidelity"] = name_of(job.engine.fidelity);
  json["option"] = tuning.option;
  json["unit"] = name_of(tuning.range.unit);
  json["low"] = tuning.range.low;
  json["high"] = tuning.range.high;
  json["scale"] = tuning.range.logarithmic ? "log" : "linear";
  json["strategy"] = tuning.strategy;
  json["seed"] = tuning.seed;
  json["best"] = trial_json(tuning, tuning.best);
  json["trials"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < tuning.trials.size(); ++i)
    json["trials"].push_back(trial_json(tuning, i));
  return json.dump(2) + "\n";
}

std::string tuning_csv(const Tuning& tuning) {
  const std::string unit =
      tuning.range.unit <= OptionUnit::Time ? fmt::format("_{}", name_of(tuning.range.unit)) : "";
  std::string text = fmt::format("trial,{0},{0}{1},iteration_time_s,best_so_far_s\n", tuning.option,
                                 unit.empty() ? "_value" : unit);
  const std::vector<Seconds> best = best_so_far(tuning);
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const Trial& trial = tuning.trials[i];
    text += fmt::format("{},{},{},{},{}\n", i + 1, trial.text, trial.value, trial.time.value,
                        best[i].value);
  }
  return text;
}

}  // namespace stepcast
