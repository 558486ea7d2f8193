#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/stage_tables.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

const std::array<Column, 3> kBreakdownColumns = {
    Column{"breakdown", Align::Left}, Column{"ms", Align::Right}, Column{"share", Align::Right}};
const std::array<Column, 2> kCommunicationColumns = {Column{"communication", Align::Left},
                                                     Column{"busy ms", Align::Right}};
const std::array<Column, 2> kMemoryColumns = {Column{"memory per GPU", Align::Left},
                                              Column{"MiB", Align::Right}};

const std::array<Column, 2> kWorkerColumns = {Column{"workers", Align::Left},
                                              Column{"in an iteration", Align::Left}};
constexpr const char* kTotal = "iteration";

template <std::size_t size>
Table table_of(const std::array<Column, size>& columns) {
  return {{columns.begin(), columns.end()}, {}};
}

std::string options_of(const Forecast& f) {
  std::string text;
  for (const auto& [name, value] : f.options)
    text += fmt::format(" {}={}", name, value);
  return text;
}

/// A line for each field that is known.
std::string head_of(const Forecast& forecast) {
  const std::vector<const ForecastField*> fields = fields_shown(View::Run);
  std::size_t widest = 0;
  for (const ForecastField* field : fields)
    widest = std::max(widest, width_of(field->label));
  std::string text;
  for (const ForecastField* field : fields)
    if (const std::string value = line_of(field->unit, field->value({forecast})); !value.empty())
      text += fmt::format("{:<{}}  {:>20}\n", field->label, widest, value);
  return text;
}

std::string breakdown_table(const Forecast& forecast) {
  const Breakdown& parts = forecast.breakdown;
  Table table = table_of(kBreakdownColumns);
  const auto add = [&](std::string name, Seconds time) {
    const double share = forecast.iteration_time > Seconds{} ? time / forecast.iteration_time : 0;
    table.rows.push_back({std::move(name), milliseconds(time), percent(share)});
  };
  for (const NamedTime& row : breakdown_rows(parts))
    add(row.name, row.time);
  add(kTotal, total_of(parts));
  return render(table);
}

std::string communication_table(const Forecast& forecast) {
  if (forecast.communication.empty())
    return "";
  Table table = table_of(kCommunicationColumns);
  for (const NamedTime& part : forecast.communication)
    table.rows.push_back({part.name, milliseconds(part.time)});
  return render(table).insert(0, 1, '\n');
}

std::string link_table(const Forecast& forecast) {
  return forecast.links.empty() ? "" : '\n' + render(table_of(link_fields(), forecast.links));
}

std::string memory_table(const Forecast& forecast) {
  Table table = table_of(kMemoryColumns);
  for (const NamedBytes& row : memory_rows(forecast))
    table.rows.push_back({row.name, fmt::format("{:.1f}", row.size.value / (1 << 20))});
  return render(table).insert(0, 1, '\n');
}

// "0: 61.2 %  1: 38.8 %", without shares below 1 %; of more than five the four largest.
std::string shares_of(const std::vector<double>& shares) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] >= 0.01)
      shown.push_back(i);
  const bool many = shown.size() > 5;
  if (many) {
    std::ranges::stable_sort(shown, std::greater{}, [&](std::size_t i) { return shares[i]; });
    shown.resize(4);
    std::ranges::sort(shown);
  }
  std::string text;
  double rest = 1;
  for (const std::size_t i : shown) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "  ", i, percent(shares[i]));
    rest -= shares[i];
  }
  return many ? fmt::format("{}  others: {}", text, percent(rest)) : text;
}

std::string protocol_table(const Forecast& forecast) {
  const ProtocolReport& report = forecast.protocol;
  if (report.iterations_per_s <= 0)
    return "";
  Table table = table_of(kWorkerColumns);
  table.rows.push_back({"iterations/s of all", fmt::format("{:.2f}", report.iterations_per_s)});
  table.rows.push_back(
      {"iterations/s of the slowest", fmt::format("{:.3f}", report.slowest_iterations_per_s)});
  for (const NamedTime& cause : report.waiting)
    table.rows.push_back({"waiting for " + cause.name, milliseconds(cause.time) + " ms"});
  table.rows.push_back({"sent per NIC", format_bytes(report.sent_per_nic)});
  table.rows.push_back({"gap to the slowest", shares_of(report.gaps)});
  table.rows.push_back({"age of what is averaged", shares_of(report.staleness)});
  return render(table).insert(0, 1, '\n');
}

std::string inputs_of(const Forecast& f) {
  std::vector<std::string> inputs{fmt::format(
      "workload {}: {}", name_of(f.workload_provenance.kind), f.workload_provenance.source)};
  for (const std::string& note : notes_on(f.workload_provenance, "batch"))
    inputs.push_back(note);
  inputs.push_back(fmt::format("cluster {}: {}", name_of(f.cluster_provenance.kind),
                               f.cluster_provenance.source));
  return list_of("Inputs", inputs);
}

std::vector<std::string> notes_of(const Forecast& forecast) {
  std::vector<std::string> notes = texts_of(forecast.notes);
  if (!forecast.error_basis.empty())
    notes.push_back("likely range: " + forecast.error_basis);
  return notes;
}

}  // namespace

std::string render_run(const Forecast& forecast, const std::string& adapters) {
  std::string text =
      wrap(fmt::format("{}: {}", forecast.schedule, title_of(forecast, adapters)), 2);
  if (!forecast.options.empty())
    text += wrap(fmt::format("options{}", options_of(forecast)), 2);
  text += fmt::format("\n{}\n{}", head_of(forecast), breakdown_table(forecast));
  text += protocol_table(forecast);
  text += communication_table(forecast) + link_table(forecast) + memory_table(forecast);
  text += list_of("Why", forecast.why) + list_of("Notes", notes_of(forecast));
  return text + inputs_of(forecast) + stage_tables(forecast);
}

std::string title_of(const Forecast& f, const std::string& adapters) {
  return fmt::format("{}{}, {} fidelity", setup_of(f.workload, f.cluster, f.nodes, f.gpus_per_node),
                     adapters, name_of(f.fidelity));
}

}  // namespace stepcast
