#include "sim/study/validate/cases/cases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "models/schedule/passes/orders.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/likely_range.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

/// Why a row cannot be forecast, in words under which rows are counted.
class NotExpressed : public InputError {
 public:
  using InputError::InputError;
};

/// "a100-sxm4-80gb" is an a100: what computes differs by memory alone.
std::string device_of(const std::string& gpu) {
  return gpu.substr(0, gpu.find('-'));
}

std::string precision_of(const std::string& name) {
  if (name.find("fp8") != std::string::npos)
    return "fp8";
  if (name == "amp_bf16" || name == "bf16")
    return "bf16";
  if (name == "fp16" || name == "fp32")
    return name;
  throw NotExpressed(
      fmt::format("precision {}: expected fp32, fp16, bf16, amp_bf16 or a name with fp8", name));
}

Transformer shape_of(const MeasuredLayout& row, const ModelForm& form) {
  return {.model = row.model,
          .layers = row.layers,
          .hidden = row.hidden,
          .ffn = row.ffn,
          .heads = row.heads,
          .kv_heads = row.kv_heads,
          .seq = row.seq,
          .vocab = row.vocab,
          .experts = row.experts,
          .top_k = row.top_k,
          .gated = form.gated,
          .tied = form.tied,
          .learned_positions = form.learned_positions,
          .attention = row.attention == "flash" ? AttentionKind::Flash : AttentionKind::Unfused,
          .precision = precision_of(row.precision)};
}

ScheduleOptions options_of(const MeasuredLayout& row, const CaseSetup& setup) {
  ScheduleOptions options = setup.usual;
  const auto overlay = [&](const auto& by_name, const std::string& name) {
    if (const auto own = by_name.find(name); own != by_name.end())
      for (const auto& [option, value] : own->second)
        options[option] = value;
  };
  overlay(setup.precisions, row.precision);
  overlay(setup.devices, device_of(row.gpu));
  const auto set = [&](const char* name, std::uint32_t value) {
    options[name] = std::to_string(value);
  };
  set("tp", row.tensor);
  set("pp", row.pipeline);
  set("cp", row.context);
  set("ep", row.expert);
  if (row.data * row.context % row.expert != 0)  // over more ranks than hold copies: whole experts
    set("etp", 1);
  set("global_batch", row.global_batch);
  if (row.micro_batch)
    set("micro_batch", *row.micro_batch);
  if (row.recompute.starts_with("selective"))
    options["recompute"] = "selective";
  else if (row.recompute.starts_with("full"))
    options["recompute"] = "full";
  else if (row.recompute == "none")
    options["recompute"] = "none";
  if (row.recompute.find("sequence-parallel") != std::string::npos)
    options["sequence_parallel"] = "yes";
  if (row.sharding.starts_with("zero"))
    options["zero"] = row.sharding.substr(4, 1);
  if (row.sharding.starts_with("zero1:") && row.sharding != "zero1:all")
    options["shard"] = row.sharding.substr(6);
  if (row.virtual_stages > 1 && row.pipeline > 1)
    set("virtual_stages", row.virtual_stages);
  for (const auto& [name, value] : setup.always)
    options[name] = value;
  return options;
}

/// As many of each node as come out even, where its GPUs do not: 64 of a rack's 72.
std::uint32_t used_of_a_node(const MeasuredLayout& row) {
  std::uint32_t used = std::min(row.gpus_per_node, row.gpus);
  while (row.gpus % used != 0)
    --used;
  if (used * 2 <= std::min(row.gpus_per_node, row.gpus))
    throw NotExpressed("nodes that are not full");
  return used;
}

/// Checks options of all rows: what would otherwise be the reason that leaves out each of them.
/// Throws InputError for an option that neither order of Megatron has, or a bad value.
void check_case_options(const ScheduleOptions& options) {
  std::vector<OptionInfo> known = schedule_of(megatron_order(false)).options;
  std::ranges::copy(schedule_of(megatron_order(true)).options, std::back_inserter(known));
  std::vector<std::string> names;
  std::ranges::transform(known, std::back_inserter(names), &OptionInfo::name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) == names.end())
      throw InputError(fmt::format("`set` {}={}: expected an option of 1f1b or interleaved{}", name,
                                   value, did_you_mean(name, names)));
    const auto option = std::ranges::find(known, name, &OptionInfo::name);
    try {
      if (option != known.end())
        check_option(*option, value);
    } catch (const InputError& error) {
      throw InputError(fmt::format("`set` {}: {}", name, error.what()));
    }
  }
}

class Predictor {
 public:
  explicit Predictor(const CaseOptions& options) : options_(options), setups_(load_case_setups()) {
    check_case_options(options.options);
    if (!options.cluster.empty())
      clusters_[options.cluster] = load_cluster(options.cluster);
    for (const std::string& file : options.blocks)
      blocks_.push_back({file, read_measured_parts(file)});
  }

  void require_blocks_used() const {
    for (const Blocks& blocks : blocks_)
      if (!blocks.used)
        throw InputError(
            fmt::format("{}: expected rows of its device and shape (hidden {}), found none",
                        blocks.file, blocks.parts.shape.at("hidden")));
  }

  PredictedCase predict(const MeasuredLayout& row) {
    const CaseSetup setup = setup_of(row);
    if (row.tensor * row.pipeline * row.data * row.context != row.gpus)
      throw NotExpressed("tp x pp x dp x cp differs from the GPUs");
    const ModelForm form = form_of(row, setup, setups_.models);
    const Workload& model = model_of(row, form);
    ScheduleOptions options = options_of(row, setup);
    for (const auto& [name, value] : options_.options)
      options[name] = value;
    const bool several_parts = options.contains("virtual_stages") && row.pipeline > 1;
    if (!several_parts)
      options.erase("virtual_stages");
    const Cluster cluster = cluster_of(row, setup);
    const ScheduleInfo& pipeline = schedule_of(megatron_order(several_parts));
    PredictedCase predicted{.row = row,
                            .predicted = options.contains("micro_batch")
                                             ? step_of(pipeline, model, cluster, options)
                                             : best_step(pipeline, model, cluster, options),
                            .schedule = pipeline.name,
                            .cluster = cluster.name,
                            .device = device_of(row.gpu),
                            .network = std::string(network_class(cluster)),
                            .form = form};
    predicted.likely =
        likely_step(shipped_range(pipeline.name, predicted.device, cluster, row.experts > 1),
                    predicted.predicted);
    return predicted;
  }

 private:
  static Seconds step_of(const ScheduleInfo& pipeline, const Workload& model,
                         const Cluster& cluster, const ScheduleOptions& options) {
    const HybridRun run = build_hybrid(pipeline, model, cluster, options);
    return simulate(run.hybrid.plan, cluster, {.fidelity = Fidelity::Analytic}).iteration_time;
  }

  // Of a micro-batch that is not stated: who publishes a step has looked for the shortest.
  static Seconds best_step(const ScheduleInfo& pipeline, const Workload& model,
                           const Cluster& cluster, ScheduleOptions options) {
    std::optional<Seconds> best;
    for (const char* micro_batch : {"1", "2", "4", "8"}) {
      options["micro_batch"] = micro_batch;
      try {
        const Seconds step = step_of(pipeline, model, cluster, options);
        best = best ? std::min(*best, step) : step;
      } catch (const InputError&) {
        continue;  // does not divide the batch
      }
    }
    if (!best)
      throw NotExpressed("no micro-batch of 1 to 8 divides the batch");
    return *best;
  }

  CaseSetup setup_of(const MeasuredLayout& row) const {
    const auto found = setups_.sets.find(row.set);
    CaseSetup setup = found == setups_.sets.end() ? CaseSetup{} : found->second;
    if (const auto own = setup.clusters.find(device_of(row.gpu)); own != setup.clusters.end())
      setup.cluster = own->second;
    if (!options_.cluster.empty())
      setup.cluster = options_.cluster;
    if (setup.cluster.empty())
      throw NotExpressed(fmt::format("set {} has no cluster; name one as `cluster`", row.set));
    return setup;
  }

  const Workload& model_of(const MeasuredLayout& row, const ModelForm& form) {
    const Transformer shape = shape_of(row, form);
    const std::string device = device_of(row.gpu);
    const std::string key = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", device, shape.layers, shape.hidden,
        shape.ffn, shape.heads, shape.kv_heads, shape.seq, shape.vocab, shape.experts, shape.top_k,
        shape.gated, shape.tied, shape.learned_positions, shape.precision, row.attention);
    const auto known = models_.find(key);
    if (known != models_.end())
      return known->second;
    check_shape(shape);
    try {
      return models_.emplace(key, load_transformer({shape, device, 1}, parts_of(device, shape)))
          .first->second;
    } catch (const InputError& error) {
      const auto law = find_training_law(device);
      if (!law || !law->products.contains(shape.precision))
        throw NotExpressed(fmt::format("no law of {} for {}", device, shape.precision));
      throw NotExpressed(error.what());
    }
  }

  /// A table holds what somebody typed.
  static void check_shape(const Transformer& shape) {
    constexpr std::uint32_t kMostExperts = 65536;
    if (shape.experts > kMostExperts)
      throw NotExpressed(
          fmt::format("experts: expected at most {}, found {}", kMostExperts, shape.experts));
    check_transformer(shape);
  }

  MeasuredParts parts_of(const std::string& device, const Transformer& shape) {
    for (Blocks& blocks : blocks_)
      if (blocks.parts.device == device && !difference_of_shape(blocks.parts, shape)) {
        blocks.used = true;
        return blocks.parts;
      }
    return {};
  }

  Cluster cluster_of(const MeasuredLayout& row, const CaseSetup& setup) {
    if (!clusters_.contains(setup.cluster))
      clusters_[setup.cluster] = load_cluster(setup.cluster);
    Cluster cluster = clusters_.at(setup.cluster);
    require_device(row, cluster);
    cluster.gpus_per_node = used_of_a_node(row);
    cluster.nodes = row.gpus / cluster.gpus_per_node;
    return cluster;
  }

  // Of a cluster that the user names; a set's own may stand for one of another device.
  void require_device(const MeasuredLayout& row, const Cluster& cluster) const {
    const std::string device = device_of(cluster.device.name);
    if (!options_.cluster.empty() && !device.empty() && device != device_of(row.gpu))
      throw NotExpressed(
          fmt::format("ran on {}, {} has {}", device_of(row.gpu), cluster.name, device));
  }

  struct Blocks {
    std::string file;
    MeasuredParts parts;
    bool used = false;
  };

  const CaseOptions& options_;
  std::vector<Blocks> blocks_;
  CaseSetups setups_;
  std::map<std::string, Workload> models_;
  std::map<std::string, Cluster> clusters_;
};

CaseErrors errors_of(const std::string& set, std::vector<double> errors) {
  CaseErrors result{.set = set, .cases = errors.size()};
  for (double& error : errors) {
    result.bias += error / static_cast<double>(errors.size());
    error = std::abs(error);
    result.mean += error / static_cast<double>(errors.size());
  }
  std::ranges::sort(errors);
  result.median = errors[errors.size() / 2];
  result.p90 = errors[std::min(errors.size() - 1, errors.size() * 9 / 10)];
  result.worst = errors.back();
  return result;
}

std::vector<CaseErrors> sets_of(const std::vector<PredictedCase>& cases) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> errors;
  for (const PredictedCase& each : cases) {
    if (!errors.contains(each.row.set))
      order.push_back(each.row.set);
    errors[each.row.set].push_back(each.error());
  }
  std::vector<CaseErrors> sets;
  for (const std::string& set : order)
    sets.push_back(errors_of(set, errors[set]));
  return sets;
}

void add(std::map<std::string, CaseRows>& all, const std::string& what, std::string place) {
  CaseRows& rows = all[what];
  if (rows.rows++ == 0)
    rows.first = std::move(place);
}

std::string place_of(const MeasuredLayout& row) {
  return fmt::format("{}: line {} ({})", row.file, row.line, row.model);
}

}  // namespace

CaseResults predict_cases(const LayoutTable& table, const CaseOptions& options,
                          const std::function<void()>& done) {
  Predictor predictor(options);
  CaseResults results;
  for (const RejectedRow& row : table.rejected)
    add(results.left_out, row.reason, fmt::format("{}: line {}", row.file, row.line));
  for (const MeasuredLayout& row : table.rows) {
    try {
      results.cases.push_back(predictor.predict(row));
      if (const std::string& guess = results.cases.back().form.guess; !guess.empty())
        add(results.guesses, guess, place_of(row));
    } catch (const InputError& error) {
      add(results.left_out, error.what(), place_of(row));
    }
    done();
  }
  predictor.require_blocks_used();
  results.sets = sets_of(results.cases);
  return results;
}

}  // namespace stepcast
