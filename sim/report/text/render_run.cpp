#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/forecast/bottleneck.hpp"
#include "sim/forecast/forecast_notes.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/fields/step_parts.hpp"
#include "sim/report/text/facts.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

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
  std::string text;
  for (const StepPart& part : step_parts())
    if (const Seconds time = part.time(f.breakdown); time >= f.iteration_time * kLeastShown)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name,
                          percent(time / f.iteration_time));
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

constexpr const char* kSentPerGpu = "bytes sent per GPU";

std::string options_of(const Forecast& f) {
  std::string text;
  for (const auto& [name, value] : f.options)
    text += fmt::format(" {}={}", name, value);
  return text;
}

constexpr char kUnbroken = '\x01';  // a space that wrap() leaves alone

std::string head_of(const Forecast& forecast) {
  Facts facts;
  for (const RunRow& row : kRunRows)
    if (std::string value = row.value(forecast); !value.empty()) {
      for (std::size_t at = 0; (at = value.find(" %", at)) != std::string::npos; ++at)
        value[at] = kUnbroken;
      facts.emplace_back(row.name, std::move(value));
    }
  std::string text = render(facts);
  std::ranges::replace(text, kUnbroken, ' ');
  return text;
}

std::string breakdown_table(const Forecast& forecast) {
  const Breakdown& parts = forecast.breakdown;
  Table table{.columns = {{"breakdown", Align::Left}, {"ms"}, {"share"}}};
  const auto add = [&](std::string name, Seconds time) {
    const double share = forecast.iteration_time > Seconds{} ? time / forecast.iteration_time : 0;
    table.rows.push_back({std::move(name), milliseconds(time), percent(share)});
  };
  for (const NamedTime& row : breakdown_rows(parts))
    add(row.name, row.time);
  add("iteration", total_of(parts));
  return render(table);
}

std::string communication_table(const Forecast& forecast) {
  if (forecast.communication.empty())
    return "";
  Table table{.columns = {{"communication", Align::Left}, {"busy ms"}}};
  for (const NamedTime& part : forecast.communication)
    table.rows.push_back({part.name, milliseconds(part.time)});
  return render(table).insert(0, 1, '\n') +
         fmt::format("{}  {}\n", kSentPerGpu, format_bytes(forecast.sent_per_gpu));
}

std::string link_table(const Forecast& forecast) {
  return forecast.links.empty() ? "" : '\n' + render(table_of(link_fields(), forecast.links));
}

std::string memory_table(const Forecast& forecast) {
  Table table{.columns = {{"memory per GPU", Align::Left}, {"MiB"}}};
  for (const NamedBytes& row : memory_rows(forecast))
    table.rows.push_back({row.name, fmt::format("{:.1f}", row.size.value / (1 << 20))});
  return render(table).insert(0, 1, '\n');
}

/// Where workers decide at run time whom they wait for: its lines, and what they wait for.
std::string protocol_table(const Forecast& forecast) {
  Table table{.columns = {{"workers", Align::Left}, {"in an iteration", Align::Left}}};
  std::vector<std::vector<std::string>> shares;  // stand last
  for (const ForecastField& field : forecast_fields()) {
    if (!std::string_view(field.key).starts_with("protocol.") || field.value({forecast}).is_null())
      continue;
    auto& rows = field.unit == Unit::Shares ? shares : table.rows;
    if (field.unit == Unit::Times)
      for (const NamedTime& cause : forecast.protocol.waiting)
        rows.push_back({"waiting for " + cause.name, milliseconds(cause.time) + " ms"});
    else if (*field.label != '\0')
      rows.push_back({field.label, cell_of(field.unit, field.value({forecast}), field.shown)});
  }
  std::ranges::move(shares, std::back_inserter(table.rows));
  return table.rows.empty() ? "" : "\n" + render(table);
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
