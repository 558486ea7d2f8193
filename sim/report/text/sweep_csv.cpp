#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/sweep_report.hpp"

namespace stepcast {

std::string sweep_csv_head(const std::vector<Cell>& cells, bool with_refusals) {
  std::vector<std::string> names;
  for (const Cell& cell : cells)
    names.push_back(cell.name);
  for (const ForecastField* field : fields_shown(View::Csv)) {
    const std::string_view key = field->key;
    names.emplace_back(key.substr(key.rfind('.') + 1));
  }
  if (with_refusals)
    names.emplace_back("refused");
  return csv_line(names);
}

std::string sweep_csv_row(const std::vector<Cell>& cells, const SweepResult& result,
                          const Forecast* baseline, bool with_refusals) {
  std::vector<std::string> row;
  for (const Cell& cell : cells)
    row.push_back(cell.value);
  const double speedup = result.forecast && baseline ? speedup_of(*result.forecast, *baseline) : 0;
  for (const ForecastField* field : fields_shown(View::Csv))
    row.push_back(result.forecast ? csv_of(field->unit, field->value({*result.forecast, speedup}))
                                  : "");
  if (with_refusals)
    row.push_back(result.refusal);
  return csv_line(row);
}

}  // namespace stepcast
