#include "sim/report/json/json.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/schedule/list/presets.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/report/json/study_json.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

// Objects whose keys are data: kinds of compute and collectives, options.
constexpr std::array<std::string_view, 5> kNamedByData = {
    "other_compute_s", "exposed_communication_s", "communication_s", "waiting_for_s", "options"};

Json times_json(const std::vector<NamedTime>& times) {
  Json json = Json::object();
  for (const NamedTime& part : times)
    json[part.name] = part.time.value;
  return json;
}

Json breakdown_json(const Breakdown& parts) {
  return {{"forward_s", parts.forward.value},
          {"backward_s", parts.backward.value},
          {"other_compute_s", times_json(parts.other_compute)},
          {"exposed_communication_s", times_json(parts.exposed_communication)},
          {"waiting_s", parts.waiting.value},
          {"pipeline_bubble_s", parts.bubble.value},
          {"idle_s", parts.idle.value}};
}

Json schedule_json(const Forecast& forecast) {
  Json options = Json::object();
  for (const auto& [name, value] : forecast.options)
    options[name] = value;
  Json json{{"name", forecast.schedule}};
  if (const Preset* preset = find_preset(forecast.schedule))
    json["preset_of"] = preset->schedule;
  json["options"] = std::move(options);
  if (forecast.is_bound)
    json["bound"] = true;
  return json;
}

// Parts of second-order training only where there are any.
Json memory_json(const Forecast& f) {
  Json json{{"parameters_bytes", f.memory.parameters.value},
            {"gradients_bytes", f.memory.gradients.value},
            {"optimiser_bytes", f.memory.optimiser.value},
            {"activations_bytes", f.memory.activations.value},
            {"fusion_buffers_bytes", f.memory.fusion_buffers.value},
            {"communication_buffers_bytes", f.memory.communication_buffers.value}};
  if (f.memory.second_order() > Bytes{}) {
    json["factors_bytes"] = f.memory.factors.value;
    json["inverses_bytes"] = f.memory.inverses.value;
    json["kept_by_hooks_bytes"] = f.memory.kept_by_hooks.value;
    json["preconditioned_bytes"] = f.memory.preconditioned.value;
  }
  json["residuals_bytes"] = f.memory.residuals.value;
  json["total_bytes"] = f.memory.total().value;
  json["device_memory_bytes"] = f.device_memory.value;
  return json;
}

Json what_if_json(const StepWithout& what_if) {
  return {{"no_compute", what_if.no_compute.value},
          {"no_network", what_if.no_network.value},
          {"no_host", what_if.no_host.value},
          {"no_bubble", what_if.no_bubble.value}};
}

Json links_json(const std::vector<LinkLoad>& links) {
  Json json = Json::array();
  for (const LinkLoad& link : links)
    json.push_back({{"link", link.name},
                    {"alike", link.alike},
                    {"bytes", link.bytes.value},
                    {"bandwidth_bytes_per_s", link.bandwidth.value},
                    {"utilisation", link.utilisation}});
  return json;
}

Json path_json(const std::vector<PathEntry>& path) {
  Json json = Json::array();
  for (const PathEntry& entry : path)
    json.push_back(
        {{"what", entry.what}, {"begin_s", entry.begin.value}, {"duration_s", entry.time.value}});
  return json;
}

void add_quantile(Json& json, const std::string& name, const SeedQuantile& quantile) {
  json[name + "_s"] = quantile.value.value;
  if (quantile.low > Seconds{})
    json[name + "_low_s"] = quantile.low.value;
  if (quantile.high > Seconds{})
    json[name + "_high_s"] = quantile.high.value;
}

void add_spread(Json& json, const SeedSpread& spread) {
  add_quantile(json, "iteration_time_p50", spread.p50);
  add_quantile(json, "iteration_time_p95", spread.p95);
  json["seeds"] = spread.seeds;
  json["iterations"] = spread.iterations;
}

Json protocol_json(const ProtocolReport& report) {
  return {{"iterations_per_s", report.iterations_per_s},
          {"slowest_iterations_per_s", report.slowest_iterations_per_s},
          {"waiting_for_s", times_json(report.waiting)},
          {"gaps", report.gaps},
          {"staleness", report.staleness},
          {"sent_per_nic_bytes", report.sent_per_nic.value},
          {"dropped_gradients", report.dropped}};
}

Json stages_json(const std::vector<StageForecast>& stages) {
  Json json = Json::array();
  for (const StageForecast& stage : stages) {
    json.push_back({{"holds", stage.holds},
                    {"time_s", stage.time.value},
                    {"bubble_s", stage.bubble.value},
                    {"bubble_by", Json::object()},
                    {"memory_bytes", stage.memory.value}});
    for (const NamedTime& part : named(stage.split))
      json.back()["bubble_by"][part.name + "_s"] = part.time.value;
  }
  return json;
}

void add_stages(Json& json, const Forecast& f) {
  if (!f.stages.empty())
    json["stages"] = stages_json(f.stages);
  if (f.flops_utilisation > 0)
    json.update(Json{{"model_flops_utilisation", f.flops_utilisation},
                     {"hardware_flops_utilisation", f.hardware_utilisation}});
}

Json forecast_json(const Forecast& f) {
  Json json;
  json["version"] = STEPCAST_VERSION;
  json["workload"] = f.workload;
  json["cluster"] = f.cluster;
  json["schedule"] = schedule_json(f);
  if (!f.layout.empty())
    json["layout"] = f.layout;
  json["gpus"] = f.gpus;
  json["workers"] = f.workers;
  json["passes"] = f.passes;
  json["steps"] = f.steps;
  json["nodes"] = f.nodes;
  json["gpus_per_node"] = f.gpus_per_node;
  json["device"] = f.device;
  json["batch"] = f.batch;
  json["fidelity"] = name_of(f.fidelity);
  json["iteration_time_s"] = f.iteration_time.value;
  json["worst_iteration_time_s"] = f.worst_iteration_time.value;
  add_likely(json, likely_step_of(f));
  if (f.spread.seeds > 0)
    add_spread(json, f.spread);
  json["steady"] = f.steady;
  json["throughput_samples_per_s"] = f.throughput;
  json["scaling_efficiency"] = f.scaling_efficiency;
  json["slowest_ranks"] = f.slowest_ranks;
  json["breakdown"] = breakdown_json(f.breakdown);
  json["fastest_waiting_s"] = f.fastest_waiting.value;
  json["communication_s"] = times_json(f.communication);
  json["bytes_sent_per_gpu"] = f.sent_per_gpu.value;
  json["memory"] = memory_json(f);
  json["links"] = links_json(f.links);
  json["critical_path"] = path_json(f.critical_path);
  if (f.protocol.iterations_per_s > 0)
    json["protocol"] = protocol_json(f.protocol);
  if (f.what_if.is_known())
    json["what_if"] = what_if_json(f.what_if);
  json["why"] = f.why;
  json["notes"] = texts_of(f.notes);
  json["provenance"] = {{"workload", provenance_json(f.workload_provenance)},
                        {"cluster", provenance_json(f.cluster_provenance)}};
  add_stages(json, f);
  return json;
}

Json comparison_json(const std::vector<Forecast>& forecasts) {
  Json results = Json::array();
  for (const Forecast& forecast : forecasts) {
    results.push_back(forecast_json(forecast));
    results.back()["speedup"] = speedup_of(forecast, forecasts.front());
  }
  return {{"results", std::move(results)}};
}

void collect_keys(const Json& json, std::vector<std::string>& keys) {
  if (json.is_array())
    for (const Json& item : json)
      collect_keys(item, keys);
  if (!json.is_object())
    return;
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(keys, key) == keys.end())
      keys.push_back(key);
    if (std::ranges::find(kNamedByData, key) == kNamedByData.end())
      collect_keys(value, keys);
  }
}

}  // namespace

std::string to_json(const Forecast& forecast) {
  return forecast_json(forecast).dump(2) + "\n";
}

std::string compare_json(const std::vector<Forecast>& forecasts) {
  return comparison_json(forecasts).dump(2) + "\n";
}

std::vector<std::string> json_keys() {
  Forecast forecast;
  forecast.is_bound = true;
  forecast.links.emplace_back();
  forecast.layout = "tp=1";
  forecast.stages.emplace_back();
  forecast.flops_utilisation = 1;
  forecast.what_if.no_bubble = Seconds{1};
  const SeedQuantile known{.value = {1}, .low = {1}, .high = {1}};
  forecast.protocol = {.iterations_per_s = 1};
  forecast.spread = {.seeds = 1, .iterations = 1, .mean = {1}, .p50 = known, .p95 = known};
  forecast.critical_path.emplace_back();
  forecast.workload_provenance = {.source = "any", .method = "any", .notes = {"any"}};
  std::vector<std::string> keys;
  collect_keys(comparison_json({forecast}), keys);
  return keys;
}

}  // namespace stepcast
