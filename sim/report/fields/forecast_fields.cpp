#include "sim/report/fields/forecast_fields.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <nlohmann/json.hpp>

#include "models/schedule/list/presets.hpp"
#include "sim/report/fields/reading.hpp"

// The table, then who shows what of it. Keys stand in the order of JSON.

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

Json simgrid_version(const ForecastRow& row) {
  const EngineUse& engine = row.forecast.engine;
  return unless(engine.activities == 0, version_in_words(engine.version));
}

template <auto... Members>
Json if_likely(const ForecastRow& row) {
  return unless(row.forecast.error_basis.empty(), of<Members...>(row));
}

template <auto... Members>
Json if_drawn(const ForecastRow& row) {
  return unless(row.forecast.spread.seeds == 0, of<&Forecast::spread, Members...>(row));
}

template <auto Size>
Json if_second_order(const ForecastRow& row) {
  return unless(row.forecast.memory.second_order() <= Bytes{}, of<&Forecast::memory, Size>(row));
}

template <auto Member>
Json if_asynchronous(const ForecastRow& row) {
  return unless(row.forecast.protocol.iterations_per_s <= 0, of<&Forecast::protocol, Member>(row));
}

template <auto Member>
Json if_in_stages(const ForecastRow& row) {
  return unless(row.forecast.protocol.rounds <= 0, of<&Forecast::protocol, Member>(row));
}

template <auto Member>
Json if_asked(const ForecastRow& row) {
  return unless(!row.forecast.what_if.is_known(), of<&Forecast::what_if, Member>(row));
}

Json likely_interval(const ForecastRow& row) {
  const Forecast& f = row.forecast;
  return unless(f.error_basis.empty(), {f.likely_low.value, f.likely_high.value});
}

template <auto Quantile>
Json drawn_interval(const ForecastRow& row) {
  const SeedQuantile& found = row.forecast.spread.*Quantile;
  return unless(found.low <= Seconds{} || found.high <= Seconds{},
                {found.low.value, found.high.value});
}

Json preset_of(const ForecastRow& row) {
  const Preset* preset = find_preset(row.forecast.schedule);
  return preset ? Json(preset->schedule) : Json();
}

Json speedup_in(const ForecastRow& row) {
  return row.speedup ? Json(*row.speedup) : Json();
}

constexpr auto kMemory = &Forecast::memory;
constexpr auto kParts = &Forecast::breakdown;

constexpr std::array kLinkFields = std::to_array<Field<LinkLoad>>({
    {"link", Unit::Name, of<&LinkLoad::name>, "", "", "link"},
    {"alike", Unit::Count, of<&LinkLoad::alike>},
    {"bytes", Unit::Bytes, of<&LinkLoad::bytes>, "", "", "sent"},
    {"bandwidth_bytes_per_s", Unit::BytesPerSecond, of<&LinkLoad::bandwidth>, "", "", "bandwidth",
     kPositive},
    {"utilisation", Unit::Share, of<&LinkLoad::utilisation>, "", "", "utilisation"},
});

constexpr std::array kPathFields = std::to_array<Field<PathEntry>>({
    {"what", Unit::Text, of<&PathEntry::what>},
    {"begin_s", Unit::Seconds, of<&PathEntry::begin>, "", "", "", kSigned},
    {"duration_s", Unit::Seconds, of<&PathEntry::time>},
});

constexpr auto kSplit = &StageForecast::split;

constexpr std::array kStageFields = std::to_array<Field<StageForecast>>({
    {"holds", Unit::Name, of<&StageForecast::holds>, "First and last layer of each of its parts.",
     "", "holds"},
    {"time_s", Unit::Seconds, of<&StageForecast::time>, "", "", "busy ms"},
    {"bubble_s", Unit::Seconds, of<&StageForecast::bubble>, "", "", "bubble ms"},
    {"bubble_by", Unit::Object, nullptr, "Adds up to bubble_s."},
    {"bubble_by.warm_up_s", Unit::Seconds, of<kSplit, &BubbleSplit::warm_up>,
     "Waiting for other stages before the first backward pass."},
    {"bubble_by.drain_s", Unit::Seconds, of<kSplit, &BubbleSplit::drain>,
     "The same after the last forward pass."},
    {"bubble_by.imbalance_s", Unit::Seconds, of<kSplit, &BubbleSplit::imbalance>,
     "The same in between."},
    {"bubble_by.messages_s", Unit::Seconds, of<kSplit, &BubbleSplit::messages>,
     "What it waits for is on its way from another stage."},
    {"bubble_by.exchange_s", Unit::Seconds, of<kSplit, &BubbleSplit::exchange>,
     "Gradients, their norm and parameters among copies."},
    {"bubble_by.stragglers_s", Unit::Seconds, of<kSplit, &BubbleSplit::stragglers>,
     "Of all these what slow-downs add."},
    {"memory_bytes", Unit::Bytes, of<&StageForecast::memory>, "", "", "memory"},
});

/// A list of objects that have a table of their own.
template <auto Member, const auto& fields>
Json rows(const ForecastRow& row) {
  return json_of(span_of(fields), row.forecast.*Member);
}

template <auto Member, const auto& fields>
Json any_rows(const ForecastRow& row) {
  return unless((row.forecast.*Member).empty(), rows<Member, fields>(row));
}

// clang-format 14 gives up on so long a list: lines are broken by hand.
constexpr std::array kForecastFields = std::to_array<ForecastField>({
    {"version", Unit::Name, [](const ForecastRow&) { return Json(STEPCAST_VERSION); },
     "Of StepCast."},
    {"workload", Unit::Name, of<&Forecast::workload>},
    {"cluster", Unit::Name, of<&Forecast::cluster>},
    {"schedule", Unit::Object, nullptr},
    {"schedule.name", Unit::Name, of<&Forecast::schedule>, "", "", "schedule"},
    {"schedule.preset_of", Unit::Name, preset_of, "The schedule, where name is a preset's.", "", "",
     kOptional},
    {"schedule.options", Unit::Options, of<&Forecast::options>,
     "In force: defaults and what the user set."},
    {"schedule.bound", Unit::True, known<&Forecast::is_bound>,
     "What no system can beat; absent of systems.", "", "", kOptional},
    {"layout", Unit::Name, known<&Forecast::layout>,
     "Layout of a model-parallel schedule: tp=8,pp=4,dp=2.", "", "", kOptional},
    {"gpus", Unit::Count, of<&Forecast::gpus>, "", "GPUs", "GPUs"},
    {"workers", Unit::Count, of<&Forecast::workers>, "GPUs that train."},
    {"passes", Unit::Count, of<&Forecast::passes>,
     "Mini-batches that a GPU works through in a step."},
    {"steps", Unit::Count, of<&Forecast::steps>, "After which the work repeats."},
    {"nodes", Unit::Count, of<&Forecast::nodes>},
    {"gpus_per_node", Unit::Count, of<&Forecast::gpus_per_node>},
    {"device", Unit::Text, of<&Forecast::device>},
    {"batch", Unit::Count, of<&Forecast::batch>, "Samples per GPU."},
    {"fidelity", Unit::Fidelity, of<&Forecast::fidelity>},
    {"engine.name", Unit::Name, of<&Forecast::engine>, "What carried clock, timers and flows."},
    {"engine.simgrid_version", Unit::Name, simgrid_version, "", "", "", kOptional},
    {"engine.simgrid_activities", Unit::Count, known<&Forecast::engine, &EngineUse::activities>,
     "Flows and timers that SimGrid simulated.", "", "", kOptional},
    {"iteration_time_s", Unit::Seconds, of<&Forecast::iteration_time>, "", "iteration time",
     "iteration ms", kPositive},
    {"worst_iteration_time_s", Unit::Seconds, of<&Forecast::worst_iteration_time>, "", "", "",
     kPositive},
    {"iteration_time_low_s", Unit::Seconds, if_likely<&Forecast::likely_low>,
     "Likely range, from errors of checked cases.", "", "", kOptional | kPositive},
    {"iteration_time_high_s", Unit::Seconds, if_likely<&Forecast::likely_high>, "", "", "",
     kOptional | kPositive},
    {"iteration_time", Unit::Interval, likely_interval, "", "likely range", "", kNoJson},
    {"error_basis", Unit::Name, known<&Forecast::error_basis>,
     "Which checked cases, and how wide their errors make it.", "", "", kOptional},
    {"iteration_time_p50_s", Unit::Seconds, if_drawn<&SeedSpread::p50, &SeedQuantile::value>,
     "Over seeds; only where --slow draws.", "P50 over seeds", "P50 ms",
     kOptional | kPositive | kDrawn},
    {"iteration_time_p50_low_s", Unit::Seconds,
     known<&Forecast::spread, &SeedSpread::p50, &SeedQuantile::low>,
     "95 % interval; left out for want of seeds.", "", "", kOptional | kPositive},
    {"iteration_time_p50_high_s", Unit::Seconds,
     known<&Forecast::spread, &SeedSpread::p50, &SeedQuantile::high>, "", "", "",
     kOptional | kPositive},
    {"iteration_time_p50", Unit::Interval, drawn_interval<&SeedSpread::p50>, "", "P50 interval",
     "within", kNoJson | kDrawn},
    {"iteration_time_p95_s", Unit::Seconds, if_drawn<&SeedSpread::p95, &SeedQuantile::value>, "",
     "P95 over seeds", "P95 ms", kOptional | kPositive | kDrawn},
    {"iteration_time_p95_low_s", Unit::Seconds,
     known<&Forecast::spread, &SeedSpread::p95, &SeedQuantile::low>, "", "", "",
     kOptional | kPositive},
    {"iteration_time_p95_high_s", Unit::Seconds,
     known<&Forecast::spread, &SeedSpread::p95, &SeedQuantile::high>, "", "", "",
     kOptional | kPositive},
    {"iteration_time_p95", Unit::Interval, drawn_interval<&SeedSpread::p95>, "", "P95 interval",
     "within", kNoJson | kDrawn},
    {"seeds", Unit::Count, known<&Forecast::spread, &SeedSpread::seeds>, "", "", "", kOptional},
    {"iterations", Unit::Count, if_drawn<&SeedSpread::iterations>, "Of each seed.", "", "",
     kOptional},
    {"steady", Unit::Flag, of<&Forecast::steady>},
    {"throughput_samples_per_s", Unit::SamplesPerSecond, of<&Forecast::throughput>, "",
     "throughput", "samples/s", kPositive},
    {"scaling_efficiency", Unit::Share, of<&Forecast::scaling_efficiency>, "", "scaling efficiency",
     "efficiency"},
    {"slowest_ranks", Unit::Text, of<&Forecast::slowest_ranks>},
    {"breakdown", Unit::Object, nullptr, "Adds up to iteration_time_s."},
    {"breakdown.forward_s", Unit::Seconds, of<kParts, &Breakdown::forward>},
    {"breakdown.backward_s", Unit::Seconds, of<kParts, &Breakdown::backward>},
    {"breakdown.recomputation_s", Unit::Seconds, of<kParts, &Breakdown::recomputation>,
     "Of forward passes, in backward passes; 0 where nothing is computed again."},
    {"breakdown.other_compute_s", Unit::Times, of<kParts, &Breakdown::other_compute>},
    {"breakdown.exposed_communication_s", Unit::Times,
     of<kParts, &Breakdown::exposed_communication>, "", "", "exposed ms"},
    {"breakdown.waiting_s", Unit::Seconds, of<kParts, &Breakdown::waiting>, "For slower ranks.", "",
     "waiting ms"},
    {"breakdown.pipeline_bubble_s", Unit::Seconds, of<kParts, &Breakdown::bubble>,
     "For other stages of a pipeline; 0 without stages.", "", "bubble ms", kStages},
    {"breakdown.idle_s", Unit::Seconds, of<kParts, &Breakdown::idle>, "", "", "idle ms", kNotDrawn},
    {"fastest_waiting_s", Unit::Seconds, of<&Forecast::fastest_waiting>},
    {"communication_s", Unit::Times, of<&Forecast::communication>,
     "Busy time by collective, overlapped or not.", "", "comm ms", kNotDrawn},
    {"bytes_sent_per_gpu", Unit::Bytes, of<&Forecast::sent_per_gpu>, "", "bytes sent per GPU"},
    {"memory", Unit::Object, nullptr,
     "Of the GPU that holds most; device_memory_bytes is 0 where it is not known."},
    {"memory.parameters_bytes", Unit::Bytes, of<kMemory, &MemoryUse::parameters>, "", "parameters"},
    {"memory.gradients_bytes", Unit::Bytes, of<kMemory, &MemoryUse::gradients>, "", "gradients"},
    {"memory.optimiser_bytes", Unit::Bytes, of<kMemory, &MemoryUse::optimiser>, "", "optimiser"},
    {"memory.activations_bytes", Unit::Bytes, of<kMemory, &MemoryUse::activations>, "",
     "activations"},
    {"memory.fusion_buffers_bytes", Unit::Bytes, of<kMemory, &MemoryUse::fusion_buffers>, "",
     "fusion buffers"},
    {"memory.communication_buffers_bytes", Unit::Bytes,
     of<kMemory, &MemoryUse::communication_buffers>, "", "communication buffers"},
    {"memory.factors_bytes", Unit::Bytes, if_second_order<&MemoryUse::factors>, "", "factors", "",
     kOptional},
    {"memory.inverses_bytes", Unit::Bytes, if_second_order<&MemoryUse::inverses>, "", "inverses",
     "", kOptional},
    {"memory.kept_by_hooks_bytes", Unit::Bytes, if_second_order<&MemoryUse::kept_by_hooks>, "",
     "kept by hooks", "", kOptional},
    {"memory.preconditioned_bytes", Unit::Bytes, if_second_order<&MemoryUse::preconditioned>, "",
     "preconditioned", "", kOptional},
    {"memory.residuals_bytes", Unit::Bytes, of<kMemory, &MemoryUse::residuals>, "", "residuals"},
    {"memory.total_bytes", Unit::Bytes, of<kMemory, &MemoryUse::total>, "", "total", "memory"},
    {"memory.device_memory_bytes", Unit::Bytes, of<&Forecast::device_memory>, "", "device memory"},
    {"memory_bytes", Unit::Bytes, of<kMemory, &MemoryUse::total>, "", "", "", kNoJson},
    {"fits", Unit::Text, [](const ForecastRow& row) { return Json(fit_of(row.forecast)); }, "", "",
     "fits", kNoJson},
    {"links", Unit::Rows, rows<&Forecast::links, kLinkFields>},
    {"critical_path", Unit::Rows, rows<&Forecast::critical_path, kPathFields>},
    {"protocol", Unit::Object, nullptr, "Where workers decide at run time whom they wait for.", "",
     "", kOptional},
    {"protocol.iterations_per_s", Unit::PerSecond,
     if_asynchronous<&ProtocolReport::iterations_per_s>, "Of all workers.", "iterations/s of all",
     "", kPositive},
    {"protocol.slowest_iterations_per_s", Unit::PerSecond,
     if_asynchronous<&ProtocolReport::slowest_iterations_per_s>, "", "iterations/s of the slowest",
     "", 0, with_decimals<3>},
    {"protocol.waiting_for_s", Unit::Times, if_asynchronous<&ProtocolReport::waiting>,
     "Of a worker in an iteration."},
    {"protocol.gaps", Unit::Shares, if_asynchronous<&ProtocolReport::gaps>,
     "Share of iterations begun 0, 1, ... ahead of the slowest worker.", "gap to the slowest"},
    {"protocol.staleness", Unit::Shares, if_asynchronous<&ProtocolReport::staleness>,
     "Share of what was averaged that was 0, 1, ... iterations old.", "age of what is averaged"},
    {"protocol.sent_per_nic_bytes", Unit::Bytes, if_asynchronous<&ProtocolReport::sent_per_nic>, "",
     "sent per NIC"},
    {"protocol.dropped_gradients", Unit::Count, if_asynchronous<&ProtocolReport::dropped>, "", "",
     "", kFromZero},
    {"protocol.training_iterations", Unit::Count,
     if_in_stages<&ProtocolReport::training_iterations>,
     "Of a training in stages, of all of which the step is the mean.", "iterations of all stages",
     "", kOptional},
    {"protocol.rounds", Unit::Count, if_in_stages<&ProtocolReport::rounds>,
     "How often all average in them.", "rounds of all stages", "", kOptional},
    {"what_if", Unit::Object, nullptr, "In run --json, not in compare's results.", "", "",
     kOptional},
    {"what_if.no_compute", Unit::Seconds, if_asked<&StepWithout::no_compute>,
     "Step in s if the device computed in no time."},
    {"what_if.no_network", Unit::Seconds, if_asked<&StepWithout::no_network>,
     "If collectives and messages took none."},
    {"what_if.no_host", Unit::Seconds, if_asked<&StepWithout::no_host>,
     "If work of the host, launches and negotiation took none."},
    {"what_if.no_bubble", Unit::Seconds, if_asked<&StepWithout::no_bubble>,
     "If no stage of a pipeline waited while others compute; the step without stages.", "", "",
     kPositive},
    {"why", Unit::Sentences, of<&Forecast::why>},
    {"notes", Unit::Sentences, of<&Forecast::notes>},
    {"provenance", Unit::Object, nullptr},
    {"provenance.workload", Unit::Source, of<&Forecast::workload_provenance>},
    {"provenance.cluster", Unit::Source, of<&Forecast::cluster_provenance>},
    {"stages", Unit::Rows, any_rows<&Forecast::stages, kStageFields>, "Of the pipeline, in order.",
     "", "", kOptional},
    {"model_flops_utilisation", Unit::Share, known<&Forecast::flops_utilisation>, "", "", "",
     kOptional},
    {"hardware_flops_utilisation", Unit::Share, known<&Forecast::hardware_utilisation>,
     "With what is recomputed.", "", "", kOptional},
    {"speedup", Unit::Ratio, speedup_in,
     "compare: over the first result, or the first of the same job.", "", "speed-up",
     kOptional | kPositive},
});

// Who shows what, in which order.
const char* keys_of(View view) {
  switch (view) {
    case View::Compare:
      return "schedule.name iteration_time_s iteration_time_p50_s iteration_time_p50 "
             "iteration_time_p95_s iteration_time_p95 speedup throughput_samples_per_s "
             "scaling_efficiency communication_s breakdown.exposed_communication_s "
             "breakdown.waiting_s breakdown.pipeline_bubble_s breakdown.idle_s";
    case View::Sweep:  // by importance: the last are left out first where a table would be too wide
      return "iteration_time_s iteration_time_p50_s iteration_time_p95_s speedup "
             "throughput_samples_per_s breakdown.exposed_communication_s scaling_efficiency";
    case View::Csv:
      return "gpus iteration_time_s speedup throughput_samples_per_s scaling_efficiency "
             "communication_s breakdown.exposed_communication_s breakdown.waiting_s "
             "breakdown.idle_s iteration_time_p50_s iteration_time_p50_low_s "
             "iteration_time_p50_high_s iteration_time_p95_s iteration_time_p95_low_s "
             "iteration_time_p95_high_s seeds memory_bytes fits breakdown.pipeline_bubble_s";
    case View::Page:
      return "iteration_time_s iteration_time_p95_s iteration_time throughput_samples_per_s "
             "scaling_efficiency gpus bytes_sent_per_gpu memory.total_bytes";
    case View::PageTable:
      return "gpus iteration_time_s speedup throughput_samples_per_s scaling_efficiency "
             "breakdown.exposed_communication_s memory.total_bytes";
    case View::Notebook:
      return "schedule.name gpus iteration_time_s speedup throughput_samples_per_s "
             "scaling_efficiency bytes_sent_per_gpu memory.total_bytes";
  }
  return "";
}

}  // namespace

std::span<const ForecastField> forecast_fields() {
  return kForecastFields;
}
std::span<const Field<LinkLoad>> link_fields() {
  return kLinkFields;
}
std::span<const Field<StageForecast>> stage_fields() {
  return kStageFields;
}
std::span<const Field<PathEntry>> path_fields() {
  return kPathFields;
}

std::vector<const ForecastField*> fields_shown(View view) {
  std::vector<const ForecastField*> fields;
  std::istringstream keys(keys_of(view));
  for (std::string key; keys >> key;)
    fields.push_back(&*std::ranges::find(kForecastFields, key, &ForecastField::key));
  return fields;
}

std::vector<NamedBytes> memory_rows(const Forecast& forecast) {
  std::vector<NamedBytes> rows;
  for (const ForecastField& field : kForecastFields)
    if (std::string_view(field.key).starts_with("memory.")) {
      const Json size = field.value({forecast});
      if (!size.is_null() && size > 0)
        rows.push_back({field.label, {size.get<double>()}});
    }
  return rows;
}

std::string fit_of(const Forecast& forecast) {
  if (forecast.device_memory == Bytes{})
    return "";
  return forecast.memory.total() > forecast.device_memory ? "no" : "yes";
}

Json forecast_json(const ForecastRow& row) {
  return json_of(forecast_fields(), row);
}

}  // namespace stepcast
