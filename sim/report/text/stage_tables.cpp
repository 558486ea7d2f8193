#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string stage_table(const Forecast& forecast) {
  Table table = table_of(stage_fields(), forecast.stages);
  table.columns.insert(table.columns.begin(), {"stage", Align::Right});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].insert(table.rows[i].begin(), std::to_string(i));
  return render(table);
}

// What the bubbles of the stages are, in ms; without what none of them has.
std::string split_table(const Forecast& forecast) {
  Table table{{{"stage", Align::Right}}, {}};
  std::vector<std::vector<NamedTime>> splits;
  for (const StageForecast& stage : forecast.stages) {
    splits.push_back(named(stage.split));
    table.rows.push_back({std::to_string(table.rows.size())});
  }
  for (std::size_t part = 0; part < named(BubbleSplit{}).size(); ++part) {
    Seconds sum{};
    for (const auto& split : splits)
      sum += split[part].time;
    if (sum <= Seconds{})
      continue;
    std::string heading = splits.front()[part].name;
    std::ranges::replace(heading, '_', '-');
    table.columns.push_back({heading + " ms"});
    for (std::size_t stage = 0; stage < splits.size(); ++stage)
      table.rows[stage].push_back(milliseconds(splits[stage][part].time));
  }
  return table.columns.size() > 1 ? "\nWhat the bubbles are\n" + render(table) : "";
}

}  // namespace

std::string stage_tables(const Forecast& forecast) {
  if (forecast.stages.empty())
    return "";
  std::string text = fmt::format("\nLayout {}", forecast.layout);
  if (forecast.flops_utilisation > 0)
    text +=
        fmt::format(", model FLOPs utilisation {}, of the hardware {}",
                    percent(forecast.flops_utilisation), percent(forecast.hardware_utilisation));
  return text + '\n' + stage_table(forecast) + split_table(forecast);
}

}  // namespace stepcast
