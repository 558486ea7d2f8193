#include "sim/report/text/descriptions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "models/network/adapters.hpp"
#include "sim/report/text/facts.hpp"
#include "sim/report/text/table.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kLongestLayers = 8;

const char* words_of(BatchScaling scaling) {
  switch (scaling) {
    case BatchScaling::Unknown:
      return "layer times stay with --set batch: the trace does not say how they follow it";
    case BatchScaling::Proportional:
      return "layer times are proportional to the batch with --set batch";
  }
  return "";
}

std::string layers_text(const Workload& workload) {
  if (workload.edges.empty())
    return fmt::format("{}, each feeding the next", workload.layers.size());
  return fmt::format("{}, with {} edges between them", workload.layers.size(),
                     workload.edges.size());
}

std::string step_text(const Workload& workload) {
  const std::string update = workload.update > Seconds{}
                                 ? fmt::format(" + {} update", format_seconds(workload.update))
                                 : "";
  return fmt::format("{} = {} forward + {} backward{}", format_seconds(compute_time(workload)),
                     format_seconds(forward_time(workload)),
                     format_seconds(backward_time(workload)), update);
}

/// Layers by forward plus backward time, longest first; equals in forward order.
std::vector<LayerId> longest_layers(const Workload& workload) {
  std::vector<LayerId> ids(workload.layers.size());
  std::iota(ids.begin(), ids.end(), LayerId{0});
  std::ranges::stable_sort(ids, std::greater{}, [&](LayerId id) {
    return workload.layers[id].forward + workload.layers[id].backward;
  });
  ids.resize(std::min(ids.size(), kLongestLayers));
  return ids;
}

std::string longest_layers_table(const Workload& workload) {
  Table table{.columns = {{"longest layers", Align::Left},
                          {"kind", Align::Left},
                          {"forward ms"},
                          {"backward ms"},
                          {"parameters"}}};
  for (const LayerId id : longest_layers(workload)) {
    const Layer& layer = workload.layers[id];
    table.rows.push_back({layer.name, layer.kind, milliseconds(layer.forward, 3),
                          milliseconds(layer.backward, 3), format_bytes(parameter_size(layer))});
  }
  return render(table);
}

std::string attention_text(const Transformer& t) {
  std::string text = fmt::format("{} heads of {}", t.heads, t.head_size());
  if (t.is_latent())
    text += fmt::format(", latent: queries of {}, keys and values of {} numbers, {} with positions",
                        t.q_rank > 0 ? t.q_rank : t.hidden, t.kv_rank, t.rope_dim);
  else if (t.kv_heads < t.heads)
    text += fmt::format(", keys and values of {}", t.kv_heads);
  const char* kernel = t.attention == AttentionKind::Flash   ? "flash"
                       : t.attention == AttentionKind::Fused ? "fused"
                                                             : "unfused";
  return fmt::format("{}; {}, {}", text, kernel, t.causal ? "causal" : "both ways");
}

std::string mlp_text(const Transformer& t) {
  std::string text =
      fmt::format("{}{}{}", t.has_experts() ? "experts of " : "", t.ffn, t.gated ? ", gated" : "");
  if (t.has_experts() && t.dense_layers > 0)
    text += fmt::format("; without experts {}", t.dense_ffn);
  return text;
}

std::string input_text(const Transformer& t) {
  std::string text =
      t.sees_images()
          ? fmt::format("{} patches of {} numbers and a token for the class", t.seq - 1, t.patch)
          : fmt::format("{} tokens of {}", t.seq, t.vocab);
  if (t.segments > 0)
    text += fmt::format(" and {} token types", t.segments);
  return text + (t.learned_positions ? "; positions are learned" : "");
}

std::string head_text(const Transformer& t) {
  if (t.sees_images())
    return fmt::format("{} classes", t.vocab);
  return fmt::format("{}{}", t.tied ? "the embedding's matrix" : "a matrix of its own",
                     t.pooler ? "; a pooler" : "");
}

/// Writes a field of a cluster as `--set` takes it.
struct FieldText {
  Cluster& cluster;

  std::string operator()(std::string& (*member)(Cluster&)) const { return member(cluster); }
  std::string operator()(std::uint32_t& (*member)(Cluster&)) const {
    return std::to_string(member(cluster));
  }
  std::string operator()(double& (*member)(Cluster&)) const {
    return fmt::format("{}", member(cluster));
  }
  std::string operator()(Seconds& (*member)(Cluster&)) const {
    return format_seconds(member(cluster));
  }
  std::string operator()(Bytes& (*member)(Cluster&)) const { return format_bytes(member(cluster)); }
  std::string operator()(BytesPerSecond& (*member)(Cluster&)) const {
    // A bandwidth of 0 stands for none and cannot be set.
    const BytesPerSecond bandwidth = member(cluster);
    return bandwidth > BytesPerSecond{} ? format_bandwidth(bandwidth) : "not given";
  }
};

std::string settings_text(const Settings& settings) {
  std::vector<std::string> parts;
  if (settings.step_time)
    parts.push_back(fmt::format("step_time={}", format_seconds(*settings.step_time)));
  if (settings.update_time)
    parts.push_back(fmt::format("update_time={}", format_seconds(*settings.update_time)));
  if (settings.batch)
    parts.push_back(fmt::format("batch={}", *settings.batch));
  if (settings.global_batch)
    parts.push_back(fmt::format("global_batch={}", *settings.global_batch));
  if (settings.batch_fixed_part)
    parts.push_back(fmt::format("batch_fixed_part={}", *settings.batch_fixed_part));
  if (!settings.second_workload.empty())
    parts.push_back(fmt::format("second_workload={}", settings.second_workload));
  for (const auto& [rank, factor] : settings.stragglers)
    parts.push_back(fmt::format("straggler.{}={}", rank, factor));
  for (const auto& [path, value] : settings.cluster)
    parts.push_back(fmt::format("cluster.{}={}", path, value));
  for (const auto& [option, value] : settings.schedule)
    parts.push_back(fmt::format("{}={}", option, value));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

namespace {

std::string recorded_text(const RecordedPipeline& of) {
  return fmt::format(
      "{} stages, tensor {}, context {}, {} copies, optimiser {}; {} of {} "
      "micro-batches",
      of.stages, of.tensor, of.context, of.copies, of.shares_optimiser ? "shared" : "whole",
      of.schedule, of.micro_batches);
}

std::string batch_text(const Workload& workload) {
  if (workload.pipeline)
    return fmt::format("{} a pass: a micro-batch", workload.batch);
  const std::string passes =
      workload.passes > 1 ? fmt::format(" and pass, {} passes a step", workload.passes) : "";
  const std::string whose =
      workload.model_group > 1 ? fmt::format("replica of {} GPUs", workload.model_group) : "GPU";
  return fmt::format("{} samples per {}{}; {}", workload.batch, whose, passes,
                     words_of(workload.batch_scaling));
}

}  // namespace

std::string description_of(const Workload& workload) {
  Facts facts{
      {"workload", workload.name},
      {"model", workload.model},
      {"device", workload.device},
      {"batch", batch_text(workload)},
      {"precision", workload.precision},
      {"layers", layers_text(workload)},
      {"parameters", fmt::format("{} in {} tensors, {}", with_thousands(parameter_count(workload)),
                                 tensor_count(workload), format_bytes(parameter_size(workload)))},
      {workload.pipeline ? "micro-batch" : "step", step_text(workload)}};
  if (workload.pipeline)
    facts.emplace_back("recorded", recorded_text(*workload.pipeline));
  add_provenance(facts, workload.provenance);
  return render(facts) + "\n" + longest_layers_table(workload);
}

std::string description_of(const Cluster& cluster) {
  Facts facts;
  Cluster copy = cluster;  // the table of fields hands out references
  for (const ClusterField& field : cluster_fields()) {
    if (field.section() == "rack" && !cluster.rack)
      continue;
    const bool given = std::ranges::count(cluster.costs_not_given, field.path) == 0;
    facts.emplace_back(field.path,
                       given ? std::visit(FieldText{copy}, field.member) : "not given, taken as 0");
  }
  if (!cluster.rack)
    facts.emplace_back("rack", "none: one switch");
  facts.emplace_back("adapters of a node", adapters_in_words(cluster));
  facts.emplace_back("GPUs", std::to_string(cluster.ranks()));
  if (cluster.measured)
    facts.emplace_back("collectives", cluster.measured->name + " (measured curves)");
  add_provenance(facts, cluster.provenance);
  return render(facts) + "\nChange a field with --set cluster.<field>=<value>.\n";
}

namespace {

std::string teraflops(FlopsPerSecond rate) {
  return fmt::format("{:.1f} TFLOP/s", rate.value * 1e-12);
}

/// Rates of long sequences with heads of 128 numbers.
std::string attention_text(const TrainingLaw& law) {
  if (law.attention) {
    const auto reached = [](const AttentionPass& pass) {
      return teraflops(pass.peak * (128 / (128 + pass.softmax)));
    };
    return fmt::format("at most {} forward, {} backward", reached(law.attention->forward),
                       reached(law.attention->backward));
  }
  return law.flash_forward > FlopsPerSecond{}
             ? fmt::format("{} forward, {} backward", teraflops(law.flash_forward),
                           teraflops(law.flash_backward))
             : "not known";
}

/// What transformers on a device take their times from.
std::string law_text(const TrainingLaw& law) {
  Facts facts{{"transformers", "by a law of products and of what memory bounds"}};
  for (const auto& [precision, peak] : law.peak) {
    const auto products = law.products.find(precision);
    facts.emplace_back(
        precision + " products",
        products == law.products.end()
            ? "not known, peak " + teraflops(peak)
            : fmt::format("at most {} of {}", teraflops(products->second.peak), teraflops(peak)));
  }
  facts.emplace_back("flash attention", attention_text(law));
  facts.emplace_back("norms, activations", format_bandwidth(law.elementwise));
  add_provenance(facts, law.provenance);
  return render(facts);
}

}  // namespace

std::string description_of(const DeviceSpec& device, const std::optional<TrainingLaw>& law) {
  Facts facts{
      {"device", device.name},
      {"fp32 peak", fmt::format("{:.2f} TFLOP/s", device.peak_fp32.value * 1e-12)},
      {"memory bandwidth", format_bandwidth(device.memory_bandwidth)},
      {"element-wise", device.elementwise > BytesPerSecond{} ? format_bandwidth(device.elementwise)
                                                             : "not measured, taken as all of it"},
      {"memory", device.memory > Bytes{} ? format_bytes(device.memory) : "unknown"}};
  add_provenance(facts, device.provenance);
  return render(facts) + (law ? "\n" + law_text(*law) : "\nTransformers: no law of this device.\n");
}

std::string description_of(const Architecture& architecture) {
  Facts facts{
      {"architecture", architecture.name},
      {"layers", std::to_string(architecture.layers.size())},
      {"parameters", fmt::format("{} in {} tensors", with_thousands(parameter_count(architecture)),
                                 tensor_count(architecture))},
      {"work", fmt::format("{:.3f} G multiply-accumulates per sample, forward",
                           macs(architecture) * 1e-9)}};
  add_provenance(facts, architecture.provenance);
  return render(facts);
}

std::string description_of(const Transformer& transformer, const std::string& source) {
  const Transformer& t = transformer;
  Facts facts{{"transformer", t.model}, {"parameters", with_thousands(parameter_count(t))}};
  if (t.has_experts())
    facts.push_back({"of a token", with_thousands(active_parameter_count(t))});
  facts.push_back(
      {"blocks", t.has_experts() && t.dense_layers > 0
                     ? fmt::format("{}, the first {} without experts", t.layers, t.dense_layers)
                     : std::to_string(t.layers)});
  facts.push_back({"hidden", std::to_string(t.hidden)});
  facts.push_back({"attention", attention_text(t)});
  facts.push_back({"mlp", mlp_text(t)});
  if (t.has_experts())
    facts.push_back({"experts", fmt::format("{} of {}{}", t.top_k, t.experts,
                                            t.shared_experts > 0
                                                ? fmt::format(", and {} for all", t.shared_experts)
                                                : "")});
  facts.push_back({"input", input_text(t)});
  facts.push_back({"head", head_text(t)});
  facts.push_back({"precision", t.precision});
  facts.push_back({"work", fmt::format("{:.4g} TFLOP a sequence, forward and backward",
                                       model_flops(t) * 1e-12)});
  if (!source.empty()) {
    facts.push_back({"source", source});
    facts.push_back({"as a workload", fmt::format("transformer:model={},device=a100", t.model)});
  }
  return render(facts);
}

std::string description_of(const MeasuredCollectives& measured) {
  Table table{.columns = {{"collective", Align::Left},
                          {"GPUs"},
                          {"nodes"},
                          {"sizes"},
                          {"from"},
                          {"to"},
                          {"left out"}}};
  for (const CollectiveCurve& curve : measured.curves) {
    const auto kept = std::ranges::count(curve.points, PointUse::Kept, &CurvePoint::use);
    table.rows.push_back(
        {name_of(curve.kind), std::to_string(curve.ranks), std::to_string(curve.nodes),
         std::to_string(curve.points.size()), format_bytes(curve.points.front().size),
         format_bytes(curve.points.back().size), std::to_string(std::ssize(curve.points) - kept)});
  }
  Facts facts{{"collectives", measured.name}};
  add_provenance(facts, measured.provenance);
  return render(facts) + "\n" + render(table);
}

std::string description_of(const Experiment& experiment) {
  const auto all = [](const std::string& one, const std::vector<std::string>& several) {
    return several.empty() ? one : fmt::format("{}", fmt::join(several, ", "));
  };
  return render(Facts{{"workload", all(experiment.workload, experiment.workloads)},
                      {"cluster", all(experiment.cluster, experiment.clusters)},
                      {"schedules", fmt::format("{}", fmt::join(experiment.schedules, ", "))},
                      {"fidelity", experiment.fidelity.empty() ? "flow" : experiment.fidelity},
                      {"sets", settings_text(experiment.settings)}});
}

std::string description_of(const Goal& goal) {
  Table table{.columns = {{"way", Align::Left},
                          {"schedule", Align::Left},
                          {"epochs"},
                          {"iterations"},
                          {"counts", Align::Left}}};
  const auto written = [](const std::optional<double>& count) {
    return count ? fmt::format("{:g}", *count) : "";
  };
  for (const Attempt& attempt : goal.attempts)
    table.rows.push_back({attempt.label, attempt.schedule, written(attempt.epochs),
                          written(attempt.iterations), name_of(attempt.provenance.kind)});
  const Facts facts{{"goal", goal.name},
                    {"target", goal.target},
                    {"model", goal.model.empty() ? "any" : goal.model},
                    {"samples of an epoch", with_thousands(goal.samples)}};
  return render(facts) + "\n" + render(table);
}

std::string description_of(const ScheduleInfo& schedule) {
  std::string text = render(Facts{
      {"schedule", schedule.name}, {"summary", schedule.summary}, {"source", schedule.source}});
  if (schedule.options.empty())
    return text + "\nNo options.\n";
  text += "\nOptions (--set option=value; default in brackets)\n";
  std::vector<std::pair<std::string, Facts>> groups{{"", {}}};  // first the schedule's own
  for (const OptionInfo& option : schedule.options) {
    auto group = std::ranges::find(groups, option.group, &std::pair<std::string, Facts>::first);
    if (group == groups.end())
      group = groups.insert(group, {option.group, {}});
    group->second.emplace_back(fmt::format("  {} [{}]", option.name, option.default_value),
                               option.meaning);
  }
  for (const auto& [name, options] : groups)
    text += (name.empty() ? "" : fmt::format("\nof the {}\n", name)) + render(options);
  return text;
}

}  // namespace stepcast
