#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/forecast/bottleneck.hpp"
#include "sim/forecast/forecast_notes.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/stage_tables.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

constexpr double kLeastShown = 0.0005;  // shows as 0.1 %

/// A line of the head of a run.
struct RunRow {
  const char* name;
  std::string (*value)(const Forecast&);
};

std::string step_of(const Forecast& f) {
  const std::string step = milliseconds(f.iteration_time) + " ms";
  return f.error_basis.empty()
             ? step
             : fmt::format("{}, likely {} to {} ms", step, milliseconds(f.likely_low),
                           milliseconds(f.likely_high));
}

// The interval is of 95 % confidence; none where the seeds are too few.
std::string quantile_of(const char* name, const SeedQuantile& quantile) {
  std::string text = fmt::format("{} {} ms", name, milliseconds(quantile.value));
  if (quantile.low > Seconds{} && quantile.high > Seconds{})
    text += fmt::format(" ({} to {})", milliseconds(quantile.low), milliseconds(quantile.high));
  return text;
}

std::string spread_of(const Forecast& f) {
  if (f.spread.seeds == 0)
    return "";
  return fmt::format("{}, {}", quantile_of("P50", f.spread.p50), quantile_of("P95", f.spread.p95));
}

std::string memory_of(const Forecast& f) {
  const std::string held = format_bytes(f.memory.total());
  if (f.device_memory <= Bytes{})
    return held;
  return fmt::format("{} of {} ({})", held, format_bytes(f.device_memory),
                     percent(f.memory.total() / f.device_memory));
}

/// Kinds of compute and of collectives are added up; parts that would show as 0.0 % are left out.
std::string parts_of(const Forecast& f) {
  const Breakdown& parts = f.breakdown;
  std::string text;
  for (const auto& [name, time] :
       {std::pair("forward", parts.forward), std::pair("backward", parts.backward),
        std::pair("recomputation", parts.recomputation),
        std::pair("other compute", total_of(parts.other_compute)),
        std::pair("exposed communication", total_of(parts.exposed_communication)),
        std::pair("waiting for slower ranks", parts.waiting),
        std::pair("pipeline bubble", parts.bubble), std::pair("idle", parts.idle)})
    if (time >= f.iteration_time * kLeastShown)
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(time / f.iteration_time));
  return text;
}

/// The stragglers of a run whose slow-downs are not drawn.
std::string slowest_of(const Forecast& f) {
  if (f.spread.seeds > 0 || f.fastest_waiting < f.iteration_time * kLeastShown)
    return "";
  return fmt::format("{}; the fastest rank waits {} ms for slower ones", f.slowest_ranks,
                     milliseconds(f.fastest_waiting));
}

/// What to change first against the bottleneck; nothing where none is known.
std::string advice_of(const Forecast& forecast) {
  if (!forecast.what_if.is_known())
    return "";
  const std::string_view of = savings_of(forecast.what_if, forecast.iteration_time).front().of;
  if (of == "network")
    return forecast.stages.empty()
               ? "stepcast compare --schedules: another one may hide more of the communication"
               : "stepcast plan: another layout of these GPUs may communicate less";
  if (of == "pipeline bubble")
    return "more micro-batches in a step (--set global_batch=N), or --schedule interleaved";
  if (of == "host")
    return "stepcast optimise --schedule: fewer launches, fused kernels";
  return "stepcast optimise --schedule: options and edits that shorten what is computed";
}

/// A row without a value is left out.
constexpr std::array kRunRows = {
    RunRow{"layout", [](const Forecast& f) { return f.layout; }},
    RunRow{"step", step_of},
    RunRow{"over seeds", spread_of},
    RunRow{"throughput",
           [](const Forecast& f) { return fmt::format("{:.1f} samples/s", f.throughput); }},
    RunRow{"model FLOPs utilisation",
           [](const Forecast& f) {
             return f.flops_utilisation > 0 ? percent(f.flops_utilisation) : "";
           }},
    RunRow{"scaling efficiency",
           [](const Forecast& f) {
             return f.flops_utilisation > 0 ? "" : percent(f.scaling_efficiency);
           }},
    RunRow{"memory per GPU", memory_of},
    RunRow{"breakdown", parts_of},
    RunRow{"slowest ranks", slowest_of},
    RunRow{"bottleneck",
           [](const Forecast& f) {
             return f.what_if.is_known()
                        ? bottleneck_of(f)
                        : "not looked for, as it takes three more simulations; --verbose does";
           }},
    RunRow{"to try", advice_of},
};

const std::array<Column, 3> kBreakdownColumns = {
    Column{"breakdown", Align::Left}, Column{"ms", Align::Right}, Column{"share", Align::Right}};
const std::array<Column, 2> kCommunicationColumns = {Column{"communication", Align::Left},
                                                     Column{"busy ms", Align::Right}};
const std::array<Column, 2> kMemoryColumns = {Column{"memory per GPU", Align::Left},
                                              Column{"MiB", Align::Right}};

const std::array<Column, 2> kWorkerColumns = {Column{"workers", Align::Left},
                                              Column{"in an iteration", Align::Left}};
constexpr const char* kTotal = "iteration";
constexpr const char* kSentPerGpu = "bytes sent per GPU";

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

constexpr char kUnbroken = '\x01';  // a space that wrap() leaves alone

std::string head_of(const Forecast& forecast) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::size_t widest = 0;
  for (const RunRow& row : kRunRows)
    if (std::string value = row.value(forecast); !value.empty()) {
      widest = std::max(widest, width_of(row.name));
      for (std::size_t at = 0; (at = value.find(" %", at)) != std::string::npos; ++at)
        value[at] = kUnbroken;
      rows.emplace_back(row.name, std::move(value));
    }
  std::string text;
  for (const auto& [name, value] : rows)
    text += wrap(fmt::format("{:<{}}  {}", name, widest, value), widest + 2);
  std::ranges::replace(text, kUnbroken, ' ');
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
  return render(table).insert(0, 1, '\n') +
         fmt::format("{}  {}\n", kSentPerGpu, format_bytes(forecast.sent_per_gpu));
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

std::string details_of(const Forecast& forecast) {
  return '\n' + breakdown_table(forecast) + protocol_table(forecast) +
         communication_table(forecast) + link_table(forecast) + memory_table(forecast) +
         list_of("Why", forecast.why) + list_of("Notes", notes_of(forecast)) + inputs_of(forecast) +
         stage_tables(forecast);
}

}  // namespace

std::string render_run(const Forecast& forecast, const std::string& adapters, bool verbose) {
  std::string text =
      wrap(fmt::format("{}: {}", forecast.schedule, title_of(forecast, adapters)), 2);
  if (verbose && !forecast.options.empty())
    text += wrap(fmt::format("options{}", options_of(forecast)), 2);
  text += '\n' + head_of(forecast);
  return verbose ? text + details_of(forecast)
                 : text + list_of("Warnings", texts_of(warnings_of(forecast)));
}

std::string title_of(const Forecast& f, const std::string& adapters) {
  return fmt::format("{}{}, {} fidelity{}",
                     setup_of(f.workload, f.cluster, f.nodes, f.gpus_per_node), adapters,
                     name_of(f.fidelity), f.engine.simgrid ? " on SimGrid" : "");
}

std::vector<std::string> names_of_run() {
  std::vector<std::string> names{kSentPerGpu};
  for (const RunRow& row : kRunRows)
    names.emplace_back(row.name);
  return names;
}

}  // namespace stepcast
