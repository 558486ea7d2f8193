#include <array>

#include <fmt/format.h>

#include "sim/report/text/clean.hpp"
#include "sim/report/text/sweep_report.hpp"

namespace stepcast {
namespace {

/// A column of the CSV file.
struct CsvColumn {
  const char* name;
  std::string (*value)(const Forecast&, double speedup);
};

// Where nothing is drawn, or too few seeds for an interval.
std::string csv_known(Seconds time) {
  return time > Seconds{} ? csv_number(time.value) : "";
}

constexpr std::array kCsvColumns{
    CsvColumn{"gpus", [](const Forecast& f, double) { return std::to_string(f.gpus); }},
    CsvColumn{"iteration_time_s",
              [](const Forecast& f, double) { return csv_number(f.iteration_time.value); }},
    CsvColumn{"speedup", [](const Forecast&, double speedup) { return csv_number(speedup); }},
    CsvColumn{"throughput_samples_per_s",
              [](const Forecast& f, double) { return csv_number(f.throughput); }},
    CsvColumn{"scaling_efficiency",
              [](const Forecast& f, double) { return csv_number(f.scaling_efficiency); }},
    CsvColumn{
        "communication_s",
        [](const Forecast& f, double) { return csv_number(total_of(f.communication).value); }},
    CsvColumn{"exposed_communication_s",
              [](const Forecast& f, double) {
                return csv_number(total_of(f.breakdown.exposed_communication).value);
              }},
    CsvColumn{"waiting_s",
              [](const Forecast& f, double) { return csv_number(f.breakdown.waiting.value); }},
    CsvColumn{"idle_s",
              [](const Forecast& f, double) { return csv_number(f.breakdown.idle.value); }},
    CsvColumn{"iteration_time_p50_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p50.value); }},
    CsvColumn{"iteration_time_p50_low_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p50.low); }},
    CsvColumn{"iteration_time_p50_high_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p50.high); }},
    CsvColumn{"iteration_time_p95_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p95.value); }},
    CsvColumn{"iteration_time_p95_low_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p95.low); }},
    CsvColumn{"iteration_time_p95_high_s",
              [](const Forecast& f, double) { return csv_known(f.spread.p95.high); }},
    CsvColumn{"seeds",
              [](const Forecast& f, double) {
                return f.spread.seeds > 0 ? std::to_string(f.spread.seeds) : "";
              }},
    CsvColumn{"memory_bytes",
              [](const Forecast& f, double) { return csv_number(f.memory.total().value); }},
    CsvColumn{"fits", [](const Forecast& f, double) { return fit_of(f); }},
    CsvColumn{"pipeline_bubble_s",
              [](const Forecast& f, double) { return csv_number(f.breakdown.bubble.value); }},
};

}  // namespace

std::string fit_of(const Forecast& forecast) {
  if (forecast.device_memory == Bytes{})
    return "";
  return forecast.memory.total() > forecast.device_memory ? "no" : "yes";
}

std::string sweep_csv_head(const std::vector<Cell>& cells, bool with_refusals) {
  std::vector<std::string> names;
  for (const Cell& cell : cells)
    names.push_back(cell.name);
  for (const CsvColumn& column : kCsvColumns)
    names.emplace_back(column.name);
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
  for (const CsvColumn& column : kCsvColumns)
    row.push_back(result.forecast ? column.value(*result.forecast, speedup) : "");
  if (with_refusals)
    row.push_back(result.refusal);
  return csv_line(row);
}

}  // namespace stepcast
