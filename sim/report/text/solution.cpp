#include "sim/report/text/solution.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/forecast/shared_notes.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

double hours(Seconds time) {
  return time.value / 3600;
}

std::string origin_of(const Solution& solution) {
  return solution.given ? "given" : name_of(solution.provenance.kind);
}

// Told where one of the ways trains in stages, whose rounds are its point.
bool tells_rounds(const std::vector<Solution>& solutions) {
  return std::ranges::any_of(solutions, [](const Solution& each) { return each.rounds > 0; });
}

std::vector<std::string> row_of(const Solution& solution, const Solution& first, bool rounds) {
  std::vector<std::string> row{solution.label, solution.schedule,
                               solution.epochs > 0 ? fmt::format("{:g}", solution.epochs) : "",
                               fmt::format("{:.0f}", solution.iterations)};
  if (rounds)
    row.push_back(solution.rounds > 0 ? fmt::format("{:.0f}", solution.rounds) : "");
  row.insert(row.end(),
             {fmt::format("{:.2f}", solution.step.value * 1e3),
              fmt::format("{:.2f}", hours(solution.total())),
              fmt::format("{:.3f}", first.total() / solution.total()), origin_of(solution)});
  return row;
}

// Hours, as in the table, unless they would come out as 0.
std::string duration_of(Seconds time) {
  return hours(time) < 0.1 ? format_seconds(time) : fmt::format("{:.2f} h", hours(time));
}

const Solution& best_of(const std::vector<Solution>& solutions) {
  return *std::ranges::min_element(solutions, {}, &Solution::total);
}

std::string sentence_on(const std::vector<Solution>& solutions) {
  const Solution& best = best_of(solutions);
  const Solution& first = solutions.front();
  if (&best == &first)
    return fmt::format("{} gets there first.", first.label);
  const double ratio = best.step / first.step;
  return fmt::format(
      "{} gets there first: {} instead of {} with {}{}.", best.label, duration_of(best.total()),
      duration_of(first.total()), first.label,
      ratio > 1 ? fmt::format(", although a step takes {:.2f} times as long", ratio) : "");
}

std::string notes_on(const std::vector<Solution>& solutions) {
  std::vector<NotedForecast> forecasts;
  for (const Solution& solution : solutions)
    forecasts.push_back({{solution.label}, solution.notes});
  return text_of(shared_notes_of(forecasts), kMostNotes);
}

}  // namespace

double iterations_of(double epochs, double samples, double samples_of_step) {
  constexpr double kRounding = 1e-12;
  return epochs * std::ceil(samples / samples_of_step * (1 - kRounding));
}

std::string render_solutions(const std::string& heading, const std::vector<Solution>& solutions) {
  const bool rounds = tells_rounds(solutions);
  Table table{
      .columns = {{"way", Align::Left}, {"schedule", Align::Left}, {"epochs"}, {"iterations"}}};
  if (rounds)
    table.columns.push_back({"rounds"});
  table.columns.insert(table.columns.end(),
                       {{"iteration ms"}, {"hours"}, {"speed-up"}, {"counts", Align::Left}});
  for (const Solution& solution : solutions)
    table.rows.push_back(row_of(solution, solutions.front(), rounds));
  return wrap(heading, 2) + "\n" + render(table) + "\n" + wrap(sentence_on(solutions), 0) +
         likely_line(best_of(solutions).likely, "likely range of its step") + notes_on(solutions);
}

std::string solutions_json(const std::string& target, const std::string& workload,
                           const std::string& cluster, const std::string& fidelity,
                           const std::vector<Solution>& solutions) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"target", target},
                              {"workload", workload},
                              {"cluster", cluster},
                              {"fidelity", fidelity}};
  for (const Solution& solution : solutions) {
    nlohmann::ordered_json entry{{"label", solution.label}, {"schedule", solution.schedule}};
    if (solution.epochs > 0)
      entry["epochs"] = solution.epochs;
    entry["iterations"] = solution.iterations;
    if (solution.rounds > 0)
      entry["rounds"] = solution.rounds;
    entry["iteration_time_s"] = solution.step.value;
    add_likely(entry, solution.likely);
    entry["time_s"] = solution.total().value;
    entry["speedup"] = solutions.front().total() / solution.total();
    entry["provenance"] = provenance_json(solution.provenance);
    entry["provenance"]["kind"] = origin_of(solution);
    entry["notes"] = texts_of(solution.notes);
    json["results"].push_back(std::move(entry));
  }
  return printed(json);
}

}  // namespace stepcast
