#include "sim/report/solution.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/table.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

double hours(Seconds time) {
  return time.value / 3600;
}

std::vector<std::string> row_of(const Solution& solution, const Solution& first) {
  return {solution.label,
          solution.schedule,
          solution.epochs > 0 ? fmt::format("{:g}", solution.epochs) : "",
          fmt::format("{:.0f}", solution.iterations),
          fmt::format("{:.2f}", solution.step.value * 1e3),
          fmt::format("{:.2f}", hours(solution.total())),
          fmt::format("{:.3f}", first.total() / solution.total()),
          name_of(solution.provenance.kind)};
}

std::string sentence_on(const std::vector<Solution>& solutions) {
  const auto best = std::ranges::min_element(solutions, {}, &Solution::total);
  const Solution& first = solutions.front();
  if (best == solutions.begin())
    return fmt::format("{} gets there first.", first.label);
  return fmt::format(
      "{} gets there first: {:.2f} h instead of {:.2f} h with {}, although a step "
      "takes {:.2f} times as long.",
      best->label, hours(best->total()), hours(first.total()), first.label,
      best->step / first.step);
}

}  // namespace

double iterations_of(double epochs, double samples, double batch, double workers) {
  return epochs * std::ceil(samples / (batch * workers));
}

std::string render_solutions(const std::string& heading, const std::vector<Solution>& solutions) {
  Table table{.columns = {{"way", Align::Left},
                          {"schedule", Align::Left},
                          {"epochs"},
                          {"iterations"},
                          {"iteration ms"},
                          {"hours"},
                          {"speed-up"},
                          {"counts", Align::Left}}};
  for (const Solution& solution : solutions)
    table.rows.push_back(row_of(solution, solutions.front()));
  return wrap(heading, 2) + "\n" + render(table) + "\n" + wrap(sentence_on(solutions), 0);
}

std::string solutions_json(const std::string& target, const std::string& workload,
                           const std::string& cluster, const std::vector<Solution>& solutions) {
  nlohmann::ordered_json json{{"target", target}, {"workload", workload}, {"cluster", cluster}};
  for (const Solution& solution : solutions) {
    nlohmann::ordered_json entry{{"label", solution.label}, {"schedule", solution.schedule}};
    if (solution.epochs > 0)
      entry["epochs"] = solution.epochs;
    entry["iterations"] = solution.iterations;
    entry["iteration_time_s"] = solution.step.value;
    entry["time_s"] = solution.total().value;
    entry["speedup"] = solutions.front().total() / solution.total();
    entry["provenance"] = provenance_json(solution.provenance);
    json["results"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace stepcast
