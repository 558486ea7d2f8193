#include "sim/jobs/edits/recipes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/edits/recipe_meaning.hpp"
#include "traces/catalog.hpp"
#include "traces/readers/stepcast/device_reader.hpp"

// Mixed precision and the fused optimiser are Daydream's (Zhu et al., USENIX ATC 2020): kernels
// bound by arithmetic take a third, others half of their time; the update's kernels become one.

namespace stepcast {
namespace {

using Fields = std::map<std::string, std::string>;

constexpr const char* kProducts =
    "*gemm*,*conv*,*Conv*,*cutlass*,*wgrad*,*dgrad*,*winograd*,*flash*,*fmha*,*xmma*,*cublas*";
constexpr const char* kPasses = "forward,backward,forward-compute,backward-compute";
constexpr const char* kUpdates = "update,optimizer,optimiser";

std::string field_or(const Fields& fields, const char* key, const char* fallback) {
  const auto found = fields.find(key);
  return found == fields.end() ? fallback : found->second;
}

constexpr double kMostFactor = 1e6;

double number_of(const Fields& fields, const char* key, double least, const char* example,
                 double most = kMostFactor) {
  const std::string text = field_or(fields, key, "");
  double value = 0;
  try {
    value = parse_number(text);
  } catch (const InputError&) {
    value = -1;
  }
  if (!(value >= least && value <= most))
    throw InputError(fmt::format("{}: expected a number from {} to {}, such as {}={}, found {}",
                                 key, least, most == kMostFactor ? "1e6" : fmt::format("{}", most),
                                 key, example, in_quotes(text)));
  return value;
}

std::string as_text(double value) {
  return fmt::format("{:.9g}", value);
}

GraphEdit scaled(Fields fields, double by, const char* of = "time") {
  fields["by"] = as_text(by);
  fields["of"] = of;
  return graph_edit_of("scale", std::move(fields));
}

/// Products take `products` of their time, all else but the host's `others`.
double factor_of(const PassShares& shares, double products, double others) {
  return shares.products * products + shares.host + (1 - shares.products - shares.host) * others;
}

/// Layers of the same factor together.
std::vector<GraphEdit> passes_scaled(const PlannedModel* model, double products, double others) {
  if (model == nullptr) {
    Fields of_products{{"kind", kPasses}, {"name", kProducts}};
    Fields of_others{{"kind", kPasses}, {"name!", kProducts}};
    return {scaled(std::move(of_products), products), scaled(std::move(of_others), others)};
  }
  std::map<std::pair<std::string, double>, std::vector<std::string>> layers;
  for (const PlannedLayer& layer : model->layers) {
    layers[{"forward", factor_of(layer.of_forward, products, others)}].push_back(layer.name);
    layers[{"backward", factor_of(layer.of_backward, products, others)}].push_back(layer.name);
  }
  std::vector<GraphEdit> edits;
  for (const auto& [pass, names] : layers)
    edits.push_back(scaled(
        {{"kind", pass.first}, {"layer", fmt::format("{}", fmt::join(names, ","))}}, pass.second));
  return edits;
}

std::vector<GraphEdit> other_gpu(const Fields& fields, const PlannedModel* model) {
  const auto device = [&](const char* key) {
    const std::string name = field_or(fields, key, "");
    if (name.empty())
      throw InputError(fmt::format("{}: expected the name of a device, such as {}=a100", key, key));
    return read_device(find_file(CatalogKind::Device, name));
  };
  const DeviceSpec from = device("from");
  const DeviceSpec to = device("to");
  auto edits = passes_scaled(model, from.peak_fp32 / to.peak_fp32,
                             from.memory_bandwidth / to.memory_bandwidth);
  edits.push_back(scaled({{"kind", kUpdates}}, from.memory_bandwidth / to.memory_bandwidth));
  return edits;
}

/// Bytes where they are known, so that start-ups stay; else times.
std::vector<GraphEdit> links_scaled(double by, const WorkGraph& graph) {
  if (graph.timed_messages)
    throw InputError(
        "messages between stages take times of their own here: expected another stage_links, or "
        "messages=asynchronous");
  const bool sized = std::ranges::any_of(
      graph.nodes, [](const WorkNode& node) { return node.communicates && node.size > Bytes{}; });
  return {scaled({{"work", "communication"}}, by, sized ? "size" : "time")};
}

Bytes size_of_bucket(const std::string& size) try {
  const Bytes wished = parse_bytes(size);
  if (!(wished > Bytes{}))
    throw InputError("expected a size above zero, found " + in_quotes(size));
  return wished;
} catch (const InputError& error) {
  throw InputError(fmt::format("size: {}", error.what()));
}

std::vector<GraphEdit> other_buckets(const Fields& fields, const WorkGraph& graph, bool is_cut) {
  const std::string size = field_or(fields, "size", "");
  const Bytes wished = size_of_bucket(size);
  Bytes sum{};
  double count = 0;
  const TextSelection sums{.any = is_cut ? std::vector<std::string>{"all-reduce", "reduce-scatter"}
                                         : std::vector<std::string>{"all-reduce"},
                           .none = {}};
  const std::string kinds = fmt::format("{}", fmt::join(sums.any, ","));
  for (const WorkNode& node : graph.nodes)
    if (sums.holds(graph.kinds[node.kind]) && node.size > Bytes{} && node.fusable) {
      sum += node.size;
      ++count;
    }
  if (count == 0)
    throw InputError("expected all-reduces of known size, found none");
  if (sum / count > wished)
    return {graph_edit_of("split", {{"kind", kinds}, {"size", size}})};
  return {graph_edit_of("merge", {{"kind", kinds}, {"up_to", size}})};
}

double seconds_of(const WorkGraph& graph, const std::string& pass) {
  double sum = 0;
  for (const WorkNode& node : graph.nodes)
    if (graph.kinds[node.kind].starts_with(pass))
      sum += node.duration.value;
  return sum;
}

/// The forward passes run again before the backward ones: of a planned step those of each of
/// sqrt(n) stretches of layers before its backward pass (Chen et al., 2016).
std::vector<GraphEdit> recomputed(const WorkGraph& graph, const PlannedModel* model) {
  if (model == nullptr) {
    const double backward = seconds_of(graph, "backward");
    if (backward <= 0)
      throw InputError("expected backward passes, found none");
    return {scaled({{"kind", "backward,backward-compute"}},
                   1 + seconds_of(graph, "forward") / backward)};
  }
  const std::size_t layers = model->layers.size();
  const auto stretch = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
  std::vector<GraphEdit> edits;
  for (std::size_t first = 0; first < layers; first += stretch) {
    const std::size_t last = std::min(layers, first + stretch) - 1;
    Seconds again{};
    for (std::size_t layer = first; layer <= last; ++layer)
      again += model->layers[layer].forward;
    edits.push_back(graph_edit_of("insert", {{"new", "forward again"},
                                             {"time", fmt::format("{:.9g}s", again.value)},
                                             {"as", "recomputation"},
                                             {"where", "before"},
                                             {"kind", "backward"},
                                             {"layer", model->layers[last].name}}));
  }
  return edits;
}

std::vector<GraphEdit> accumulated(const Fields& fields) {
  constexpr double kMostPasses = 4096;
  const double passes = number_of(fields, "passes", 2, "2", kMostPasses);
  if (passes != std::floor(passes))
    throw InputError("passes: expected a whole number, such as passes=2, found " +
                     in_quotes(field_or(fields, "passes", "")));
  return {scaled({{"kind", kPasses}}, 1 / passes),
          graph_edit_of("repeat", {{"kind", kPasses}, {"times", as_text(passes)}})};
}

/// A layer's time is not divided into kernels: what fusing them saves has to be told. Products keep
/// theirs, as in dPRO (Hu et al., MLSys 2022), which fuses what is bound by memory and launches.
std::vector<GraphEdit> fused_as_told(const Fields& fields, const PlannedModel& model) {
  if (!fields.contains("saves"))
    throw InputError(
        "a planned step has no kernels: expected saves=SHARE, what fusing saves of the passes that "
        "are no products, such as saves=0.3, or a recorded job");
  const double saved = number_of(fields, "saves", 0, "0.3", 1);
  if (std::ranges::all_of(model.layers, [](const PlannedLayer& layer) {
        return layer.of_forward.products == 1 && layer.of_backward.products == 1;
      }))
    throw InputError(model.name + " has no passes but products");
  return passes_scaled(&model, 1, 1 - saved);
}

}  // namespace

std::vector<GraphEdit> edits_of_recipe(const EditRequest& request, const WorkGraph& graph,
                                       const PlannedModel* model) {
  const std::string& name = request.verb;
  const Fields& fields = request.fields;
  require_meaning(name, graph, model);
  if (name == "mixed-precision")
    return passes_scaled(model, 1.0 / 3, 0.5);
  if (name == "fused-optimiser")
    return {graph_edit_of("merge", {{"kind", kUpdates}})};
  if (name == "kernel-fusion" && model != nullptr)
    return fused_as_told(fields, *model);
  if (name == "kernel-fusion") {
    if (fields.contains("saves"))
      throw InputError("saves: a recorded job's kernels say themselves what fusing them saves");
    // Those of tables of operations are whole passes.
    Fields kernels{{"kind", "forward,backward"}, {"name!", kProducts}};
    kernels["apart"] = "yes";
    return {graph_edit_of("merge", std::move(kernels))};
  }
  if (name == "priority-slices") {
    const std::string size = field_or(fields, "size", "4MiB");
    return {graph_edit_of("split", {{"work", "communication"}, {"size", size}}),
            graph_edit_of("reorder", {{"work", "communication"},
                                      {"by", model == nullptr ? "need" : "layer"}})};
  }
  if (name == "bucket-size")
    return other_buckets(fields, graph, model != nullptr && model->is_cut);
  if (name == "recomputation")
    return recomputed(graph, model);
  if (name == "accumulation")
    return accumulated(fields);
  if (name == "cuda-graphs")
    return {scaled({{"work", "compute"}}, 0, "delay")};
  if (name == "faster-link")
    return links_scaled(1 / number_of(fields, "by", 0.001, "2"), graph);
  if (name == "dead-link") {
    const double links = number_of(fields, "of", 2, "4");
    return links_scaled(links / (links - 1), graph);
  }
  return other_gpu(fields, model);
}

}  // namespace stepcast
