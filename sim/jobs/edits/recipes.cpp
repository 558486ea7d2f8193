#include "sim/jobs/edits/recipes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/graph/edit/needs.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/device_reader.hpp"

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

/// Throws InputError with `why` for a pipeline, whose plan has passes of several layers in one.
void refuse_pipelines(const RecipeInput& of, const char* why) {
  if (of.model != nullptr && of.model->is_cut)
    throw InputError(why);
}

/// Throws InputError where the model cannot tell products from other work, which a recipe needs.
/// `instead` is what says the same in a transformer's workload, such as "precision=bf16".
void require_products(const RecipeInput& of, const char* instead) {
  if (of.model != nullptr && of.model->is_cut && !of.model->knows_products)
    throw InputError(
        fmt::format("a pass of a transformer's stage has products and all else in one: expected "
                    "{} in `workload`",
                    instead));
}

/// Returns edits that scale products and all other work of the passes by their factors. Layers of
/// the same factor are in one edit.
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

std::vector<GraphEdit> other_buckets(const RecipeInput& of) {
  const bool is_cut = of.model != nullptr && of.model->is_cut;
  const std::string size = field_or(of.fields, "size", "");
  const Bytes wished = size_of_bucket(size);
  Bytes sum{};
  double count = 0;
  const TextSelection sums{.any = is_cut ? std::vector<std::string>{"all-reduce", "reduce-scatter"}
                                         : std::vector<std::string>{"all-reduce"},
                           .none = {}};
  const std::string kinds = fmt::format("{}", fmt::join(sums.any, ","));
  for (const WorkNode& node : of.graph.nodes)
    if (sums.holds(of.graph.kinds[node.kind]) && node.size > Bytes{} && node.fusable) {
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
std::vector<GraphEdit> recomputed(const RecipeInput& of) {
  refuse_pipelines(of,
                   "what a stage keeps and computes again is its schedule's: expected `set` "
                   "recompute=selective or full");
  if (of.model == nullptr) {
    const double backward = seconds_of(of.graph, "backward");
    if (backward <= 0)
      throw InputError("expected backward passes, found none");
    return {scaled({{"kind", "backward,backward-compute"}},
                   1 + seconds_of(of.graph, "forward") / backward)};
  }
  const std::vector<PlannedLayer>& layers = of.model->layers;
  const auto stretch =
      static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers.size()))));
  std::vector<GraphEdit> edits;
  for (std::size_t first = 0; first < layers.size(); first += stretch) {
    const std::size_t last = std::min(layers.size(), first + stretch) - 1;
    Seconds again{};
    for (std::size_t layer = first; layer <= last; ++layer)
      again += layers[layer].forward;
    edits.push_back(graph_edit_of("insert", {{"new", "forward again"},
                                             {"time", fmt::format("{:.9g}s", again.value)},
                                             {"as", "recomputation"},
                                             {"where", "before"},
                                             {"kind", "backward"},
                                             {"layer", layers[last].name}}));
  }
  return edits;
}

std::vector<GraphEdit> accumulated(const RecipeInput& of) {
  refuse_pipelines(
      of, "a pipeline's passes are of micro-batches: expected `set` micro_batch= or global_batch=");
  constexpr double kMostPasses = 4096;
  const double passes = number_of(of.fields, "passes", 2, "2", kMostPasses);
  if (passes != std::floor(passes))
    throw InputError("passes: expected a whole number, such as passes=2, found " +
                     in_quotes(field_or(of.fields, "passes", "")));
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

std::vector<GraphEdit> fused_kernels(const RecipeInput& of) {
  require_products(of, "attention=flash");
  if (of.model != nullptr)
    return fused_as_told(of.fields, *of.model);
  if (of.fields.contains("saves"))
    throw InputError("saves: a recorded job's kernels say themselves what fusing them saves");
  // Those of tables of operations are whole passes.
  return {graph_edit_of("merge",
                        {{"kind", "forward,backward"}, {"name!", kProducts}, {"apart", "yes"}})};
}

std::vector<GraphEdit> fused_updates(const RecipeInput& of) {
  refuse_pipelines(of, "the update of a stage is one kernel already");
  return {graph_edit_of("merge", {{"kind", kUpdates}})};
}

std::vector<GraphEdit> in_mixed_precision(const RecipeInput& of) {
  require_products(of, "precision=bf16");
  return passes_scaled(of.model, 1.0 / 3, 0.5);
}

std::vector<GraphEdit> on_other_gpu(const RecipeInput& of) {
  require_products(of, "device=");
  const auto device = [&](const char* key) {
    const std::string name = field_or(of.fields, key, "");
    if (name.empty())
      throw InputError(fmt::format("{}: expected the name of a device, such as {}=a100", key, key));
    return read_device(find_file(CatalogKind::Device, name));
  };
  const DeviceSpec from = device("from");
  const DeviceSpec to = device("to");
  const double by_memory = from.memory_bandwidth / to.memory_bandwidth;
  auto edits = passes_scaled(of.model, from.peak_fp32 / to.peak_fp32, by_memory);
  edits.push_back(scaled({{"kind", kUpdates}}, by_memory));
  return edits;
}

std::vector<GraphEdit> in_slices(const RecipeInput& of) {
  if (of.model == nullptr && !overtakes(of.graph))
    throw InputError(
        "a recorded step ends before the next forward pass, which priorities serve, and nothing in "
        "it waits for a communication that could overtake another: expected a planned step, of "
        "`workload`");
  refuse_pipelines(of,
                   "a stage's update waits for all of its gradients, whichever come first: "
                   "expected no such order of a pipeline");
  const std::string size = field_or(of.fields, "size", "4MiB");
  return {graph_edit_of("split", {{"work", "communication"}, {"size", size}}),
          graph_edit_of("reorder", {{"work", "communication"},
                                    {"by", of.model == nullptr ? "need" : "layer"}})};
}

std::vector<GraphEdit> without_launches(const RecipeInput& of) {
  if (of.model != nullptr)
    throw InputError("a planned step has no launches: expected a recorded job");
  return {scaled({{"work", "compute"}}, 0, "delay")};
}

std::vector<GraphEdit> over_faster_link(const RecipeInput& of) {
  return links_scaled(1 / number_of(of.fields, "by", 0.001, "2"), of.graph);
}

std::vector<GraphEdit> without_link(const RecipeInput& of) {
  const double links = number_of(of.fields, "of", 2, "4");
  return links_scaled(links / (links - 1), of.graph);
}

}  // namespace

const std::vector<RecipeInfo>& recipes() {
  static const std::vector<RecipeInfo> all = {
      {"mixed-precision",
       {},
       "matrix products take a third, other passes half of their time",
       in_mixed_precision},
      {"fused-optimiser", {}, "the update's kernels are one", fused_updates},
      {"kernel-fusion",
       {"saves"},
       "kernels that are no products are one; of a plan: the share that this saves",
       fused_kernels},
      {"priority-slices",
       {"size"},
       "pieces of at most 4MiB, first those that are needed first (P3)",
       in_slices},
      {"bucket-size", {"size"}, "all-reduces in buckets of this size", other_buckets},
      {"recomputation", {}, "forward passes run again before the backward passes", recomputed},
      {"accumulation", {"passes"}, "so many passes of as many parts of the batch", accumulated},
      {"cuda-graphs", {}, "no launch is waited for", without_launches},
      {"faster-link",
       {"by"},
       "communication moves its bytes so many times faster",
       over_faster_link},
      {"dead-link", {"of"}, "of so many links of a node one is gone", without_link},
      {"gpu",
       {"from", "to"},
       "passes as on another device, by its arithmetic and its memory",
       on_other_gpu},
  };
  return all;
}

std::vector<GraphEdit> edits_of(const EditRequest& request, const WorkGraph& graph,
                                const PlannedModel* model) {
  const auto found = std::ranges::find(recipes(), request.verb, &RecipeInfo::name);
  if (found == recipes().end())
    return {graph_edit_of(request.verb, request.fields)};
  try {
    return found->edits({request.fields, graph, model});
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", request.text, error.what()));
  }
}

}  // namespace stepcast
