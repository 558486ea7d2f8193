#include "sim/cli/study/study_view.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/tell.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/json/sweep_json.hpp"
#include "sim/report/picture/compare_figure.hpp"
#include "sim/report/picture/sweep_figure.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/studies/boundaries_report.hpp"
#include "sim/report/text/sweep_grid.hpp"
#include "sim/report/text/sweep_report.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

std::string text_of(const Sweep& sweep, const std::vector<SweepRow>& rows, bool json) {
  if (sweep.has_lists)
    return json ? sweep_json(rows) : render_sweep(rows);
  std::vector<Forecast> forecasts;
  for (const SweepRow& row : rows)
    forecasts.push_back(row.forecast);
  drop_notes_of_single_rows(forecasts);
  if (json)
    return compare_json(forecasts);
  if (sweep.combinations.empty() || sweep.scenarios.empty())
    return render_compare(forecasts);
  const Scenario scenario = scenario_of(sweep, sweep.combinations.front());
  return render_compare(forecasts, adapters_in_title(scenario.cluster));
}

/// "dear", or of a sweep "dear nodes=8".
std::vector<NamedForecast> named(const std::vector<SweepRow>& rows) {
  const std::vector<std::size_t> varying = varying_cells(rows);
  std::vector<NamedForecast> forecasts;
  for (const SweepRow& row : rows) {
    std::string name = row.forecast.schedule;
    for (const std::size_t cell : varying)
      if (row.cells[cell].name != "schedule")
        name.append(" ").append(row.cells[cell].name).append("=").append(row.cells[cell].value);
    forecasts.push_back(
        {std::move(name), row.forecast, speedup_of(row.forecast, rows[row.baseline].forecast)});
  }
  return forecasts;
}

}  // namespace

std::vector<CommandOption> StudyView::options() {
  return {
      {"--across", "KEY", &across,
       "a table of iteration times with a column for each value of KEY, one of\nwhat is listed: "
       "nodes, cluster, schedule or a key of --set;\n--figure then draws lines over it"},
      {"--map", "KEY", &map,
       "a map of the fastest schedule with a column for each value of KEY; of\ndensity also "
       "where the order of schedules changes, and why"},
      figure.option("where the step of each goes"),
      page.option(),
      {"--json", "", &json, "print JSON"}};
}

void StudyView::check() const {
  figure.check();
  page.check();
}

void StudyView::check(const Sweep& sweep) const {
  if (!across.empty() && !map.empty())
    throw InputError("--across, --map: expected one of the two");
  if (!across.empty())
    require_cell(sweep, "--across", across);
  if (map == "schedule")
    throw InputError(
        "--map schedule: expected something other than schedules; --across schedule shows their "
        "times");
  if (!map.empty())
    require_cell(sweep, "--map", map);
}

namespace {

std::string figure_of(const std::vector<SweepRow>& rows, const StudyView& view,
                      const StudyEnd& end) {
  if (!view.map.empty())
    return map_svg(rows, view.map, end.boundaries);
  return view.across.empty() || view.across == "schedule" ? compare_figure(named(rows))
                                                          : lines_svg(rows, view.across);
}

std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows, const StudyView& view,
                     const StudyEnd& end) {
  if (!view.map.empty())
    return render_map(rows, view.map) + render_boundaries(end.boundaries);
  return view.across.empty() ? text_of(sweep, rows, false) : render_across(rows, view.across);
}

std::string json_of(const Sweep& sweep, const std::vector<SweepRow>& rows, const StudyEnd& end) {
  return with_list(text_of(sweep, rows, true), "boundaries", boundaries_json(end.boundaries));
}

}  // namespace

std::vector<SweepRow> print_study(const Sweep& sweep, const std::vector<SweepResult>& results,
                                  const StudyView& view, const StudyEnd& end) {
  std::vector<SweepRow> rows = rows_of(sweep, results);
  const std::string refused = render_refused(sweep, results);
  if (rows.empty() && !refused.empty())
    throw InputError(fmt::format("no combination has a forecast; the first: {}",
                                 refused.substr(0, refused.find("\nNo forecast"))));
  std::vector<std::function<void()>> files;
  if (end.finish)
    files.push_back(end.finish);
  if (rows.empty()) {
    print_then_write("", files);
    return rows;
  }
  if (view.figure.is_wanted())
    files.emplace_back([&] { view.figure.write(figure_of(rows, view, end)); });
  const std::string json = view.json || view.page.is_wanted() ? json_of(sweep, rows, end) : "";
  files.emplace_back([&] { view.page.write(json); });
  print_then_write(view.json ? with_list(json, "refused", refused_json(sweep, results))
                             : fmt::format("{}{}{}", table_of(sweep, rows, view, end),
                                           refused.empty() ? "" : "\n", refused) +
                                   (end.text ? end.text(rows) : ""),
                   files);
  return rows;
}

int exit_code_of(const std::vector<SweepResult>& results) {
  return std::ranges::any_of(results, &SweepResult::died) ? 1 : 0;
}

}  // namespace stepcast
