#include "sim/report/text/cases_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/validate/cases/layout_choice.hpp"

namespace stepcast {
namespace {

std::string choice_table(const std::vector<SetChoice>& choices) {
  Table table{{{"set", Align::Left},
               {"sweeps", Align::Right},
               {"within 1 %", Align::Right},
               {"worst loss", Align::Right},
               {"Kendall's tau", Align::Right}},
              {}};
  for (const SetChoice& choice : choices)
    table.rows.push_back({choice.set, std::to_string(choice.sweeps),
                          std::to_string(choice.near_best), percent(choice.worst),
                          fmt::format("{:.3f}", choice.tau)});
  return "\nThe layout forecast as fastest, beside the fastest of its sweep\n" + render(table);
}

std::string errors_of_sets(const CaseResults& results) {
  Table table{{{"set", Align::Left},
               {"cases", Align::Right},
               {"median", Align::Right},
               {"mean", Align::Right},
               {"p90", Align::Right},
               {"worst", Align::Right},
               {"signed", Align::Right}},
              {}};
  for (const CaseErrors& set : results.sets)
    table.rows.push_back({set.set, std::to_string(set.cases), percent(set.median),
                          percent(set.mean), percent(set.p90), percent(set.worst),
                          fmt::format("{:+.1f} %", 100 * set.bias)});
  return render(table);
}

// A longer table of rows is left out: the sets sum it up, and --json has each row.
constexpr std::size_t kMostRows = 24;

std::string range_text(const LikelyStep& likely) {
  if (likely.basis.empty())
    return "-";
  return fmt::format("{:.4g} to {:.4g}", likely.low.value, likely.high.value);
}

std::string rows_table(const std::vector<PredictedCase>& cases) {
  if (cases.empty() || cases.size() > kMostRows)
    return "";
  Table table{{{"line", Align::Right},
               {"model", Align::Left},
               {"GPUs", Align::Right},
               {"measured s", Align::Right},
               {"forecast s", Align::Right},
               {"likely range s", Align::Right},
               {"error", Align::Right}},
              {}};
  for (const PredictedCase& each : cases)
    table.rows.push_back({std::to_string(each.row.line), each.row.model,
                          std::to_string(each.row.gpus),
                          fmt::format("{:.4g}", each.row.measured.value),
                          fmt::format("{:.4g}", each.predicted.value), range_text(each.likely),
                          fmt::format("{:+.1f} %", 100 * each.error())});
  std::set<std::string> bases;
  for (const PredictedCase& each : cases)
    if (!each.likely.basis.empty())
      bases.insert(each.likely.basis);
  std::string text = "\n" + render(table);
  for (const std::string& basis : bases)
    text += wrap("Likely range: " + basis, 2);
  return text;
}

// "  2 rows, t.csv: line 3 and later: reason", or nothing.
std::string list_of_rows(std::string_view heading, const std::map<std::string, CaseRows>& all) {
  std::string text;
  for (const auto& [what, of] : all)
    text +=
        wrap(fmt::format("  {}, {}{}: {}", of.rows == 1 ? "1 row" : fmt::format("{} rows", of.rows),
                         of.first, of.rows == 1 ? "" : " and later", what),
             4);
  return text.empty() ? text : fmt::format("\n{}\n{}", heading, text);
}

/// Every row was left out, most for that reason.
std::string nothing_compared(const CaseResults& results) {
  if (results.left_out.empty())
    return "Nothing could be compared: there are no rows.\n";
  const auto commonest = std::ranges::max_element(
      results.left_out, {}, [](const auto& each) { return each.second.rows; });
  return fmt::format("Nothing could be compared: every row was left out{}: {}.\n",
                     results.left_out.size() > 1 ? ", most often" : "", commonest->first);
}

}  // namespace

std::string render_cases(const CaseResults& results) {
  std::string text = results.cases.empty() ? nothing_compared(results) : errors_of_sets(results);
  const std::vector<SetChoice> choices = choices_of(layout_sweeps(results.cases));
  if (!choices.empty())
    text += choice_table(choices);
  text += rows_table(results.cases);
  text += list_of_rows("Left out", results.left_out);
  return text +
         list_of_rows("Guessed, as no column and no published model says it", results.guesses);
}

}  // namespace stepcast
