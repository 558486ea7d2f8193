#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/provenance.hpp"
#include "models/workload/workload.hpp"
#include "traces/formats/pipedream/graph_file.hpp"
#include "traces/formats/pipedream/module_text.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {

namespace {

/// The batch of a profile, and how it is known.
struct ProfileBatch {
  std::uint32_t size = 1;
  bool stated = false;  ///< By the user; else derived from the linear layers.
};

constexpr std::uint64_t kBytesPerElement = 4;  // PipeDream profiled in fp32.

/// The batch that a linear layer's output gives; 0 if it is not a whole number.
double linear_batch(const GraphNode& node) {
  const auto outputs = static_cast<double>(module_outputs(node.description));
  if (outputs == 0)
    return 0;
  const double batch = node.activation.value / (kBytesPerElement * outputs);
  const bool whole =
      batch == std::floor(batch) && batch <= std::numeric_limits<std::uint32_t>::max();
  return whole ? batch : 0;
}

/// A linear layer's output takes batch x out_features x 4 bytes, so its activation_size gives the
/// batch if all linear layers agree on a whole number; else none.
std::optional<std::uint32_t> derived_batch(const GraphFile& file) {
  double batch = 0;
  for (const GraphNode& node : file.nodes) {
    if (module_kind(node.description) != "Linear")
      continue;
    const double here = linear_batch(node);
    if (here == 0 || (batch != 0 && here != batch))
      return std::nullopt;
    batch = here;
  }
  if (batch == 0)
    return std::nullopt;
  return static_cast<std::uint32_t>(batch);
}

/// What the user stated, else what the file gives. Throws InputError if they contradict each other,
/// or if neither says anything.
ProfileBatch profile_batch(const GraphFile& file, std::optional<std::uint32_t> stated,
                           const std::string& origin) {
  const std::optional<std::uint32_t> derived = derived_batch(file);
  if (!stated && !derived) {
    throw InputError(origin + ": the batch is not in the file: give it with --batch");
  }
  if (stated && *stated == 0)
    throw InputError("batch: expected at least 1, found 0");
  if (stated && derived && *stated != *derived) {
    throw InputError(
        fmt::format("{}: the stated batch {} contradicts the file, whose linear "
                    "layers have outputs for a batch of {}",
                    origin, *stated, *derived));
  }
  return stated ? ProfileBatch{*stated, !derived} : ProfileBatch{*derived, false};
}

/// Multiply-accumulates of a convolution or linear layer: each weight is used once at each position
/// of the output. 0 for other modules, or if the sizes do not divide.
double macs_per_sample(const GraphNode& node, const std::vector<Parameter>& parameters,
                       std::uint32_t batch) {
  const auto outputs = static_cast<double>(module_outputs(node.description));
  if (outputs == 0 || parameters.empty() || parameters[0].name != "weight")
    return 0;
  const double positions = node.activation.value / (kBytesPerElement * outputs * batch);
  if (positions != std::floor(positions))
    return 0;
  return positions * static_cast<double>(parameters[0].elements);
}

constexpr double kOutlier = 3;  // A first layer this many times over its share is flagged.

double milliseconds(Seconds time) {
  return time.value * 1e3;
}

/// The forward time that the first layer would have if it were to the other layers' forward time as
/// `weight` of it is to `weight` of the others; zero if that cannot be said.
template <class Weight>
Seconds share_of_first(const std::vector<Layer>& layers, Weight weight) {
  Seconds forward;
  double others = 0;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (weight(layers[i]) <= 0)
      continue;
    forward += layers[i].forward;
    others += weight(layers[i]);
  }
  return others > 0 ? forward * (weight(layers[0]) / others) : Seconds{0};
}

/// "; 2.5 times the 2.73 ms of its share of the backward time", if the share is known.
std::string compared(Seconds forward, Seconds share, std::string_view basis) {
  if (share <= Seconds{0})
    return "";
  return fmt::format("; {:.1f} times the {:.3g} ms of its share of {}", forward / share,
                     milliseconds(share), basis);
}

/// Says how the first layer compares to its share of the work, and whether that makes it an
/// outlier: the profiler's first module can include one-time work such as the choice of cuDNN
/// kernels.
std::string first_layer_note(const Workload& workload) {
  const Layer& first = workload.layers.front();
  const Seconds by_backward =
      share_of_first(workload.layers, [](const Layer& l) { return l.backward.value; });
  const Seconds by_macs = share_of_first(workload.layers, [](const Layer& l) { return l.macs; });
  const auto exceeds = [&](Seconds share) {
    return share > Seconds{0} && first.forward > share * kOutlier;
  };
  const bool outlier = exceeds(by_backward) || exceeds(by_macs);
  return fmt::format("{}: {} takes {:.3f} ms forward{}{}{}",
                     outlier ? "warm-up outlier" : "first layer", first.name,
                     milliseconds(first.forward),
                     compared(first.forward, by_backward, "the backward time"),
                     compared(first.forward, by_macs, "the multiply-accumulates"),
                     outlier ? "; it probably includes one-time work and is kept as measured"
                             : fmt::format("; within {} times, not taken for warm-up", kOutlier));
}

std::string batch_note(const ProfileBatch& batch) {
  if (batch.stated)
    return fmt::format("batch {}: stated at import, the file does not tell it", batch.size);
  return fmt::format(
      "batch {}: derived, every linear layer's activation_size is batch x out_features x 4 bytes",
      batch.size);
}

/// Whether a node stands for the data loader: "Input", "Input0", ...
bool is_input(const GraphNode& node) {
  constexpr std::string_view kInput = "Input";
  const std::string kind = module_kind(node.description);
  return kind.starts_with(kInput) && node.parameter_bytes == 0 &&
         kind.find_first_not_of("0123456789", kInput.size()) == std::string::npos;
}

std::string input_note(const GraphFile& file) {
  Seconds loading;
  for (const GraphNode& node : file.nodes) {
    if (is_input(node))
      loading += node.forward;
  }
  return fmt::format("input nodes ({:.3f} ms of data loading) are dropped", milliseconds(loading));
}

/// Method and caveats of an imported profile; the source is left to the caller.
Provenance profile_provenance(const GraphFile& file, const Workload& workload,
                              const ProfileBatch& batch) {
  Provenance provenance;
  provenance.kind = ProvenanceKind::Measured;
  provenance.method =
      "times and sizes per module as profiled; tensors from parameter_size (fp32), split into "
      "weight and bias where the module's text accounts for every element; multiply-accumulates "
      "from weights and output sizes";
  provenance.notes = {
      "the GPU is not stated in the file",
      "the profiler synchronises after every layer, so the sum of the layers exceeds the time of a "
      "real iteration",
      batch_note(batch), input_note(file), first_layer_note(workload)};
  return provenance;
}

constexpr double kDoubtfulBackward = 0.01;  // Of the forward time.

/// "vgg16" of ".../inception_v3/graph.txt" as "inception-v3"; else the name of the file.
std::string model_of(const std::string& origin) {
  const std::filesystem::path path = std::filesystem::absolute(origin);
  std::string model = path.stem() == "graph" ? path.parent_path().filename() : path.stem();
  std::ranges::replace(model, '_', '-');
  return model.empty() ? "model" : model;
}

Layer layer_of(const GraphNode& node, std::uint32_t batch, const std::string& origin) {
  if (node.parameter_bytes % kBytesPerElement != 0) {
    throw InputError(
        fmt::format("{}: line {}: expected parameter_size in multiples of {} bytes "
                    "(fp32), found {}",
                    origin, node.line, kBytesPerElement, node.parameter_bytes));
  }
  Layer layer;
  layer.kind = module_kind(node.description);
  layer.name = fmt::format("node{}-{}", node.number, layer.kind);
  layer.forward = node.forward;
  layer.backward = node.backward;
  layer.activation = node.activation;
  layer.parameters = module_parameters(node.description, node.parameter_bytes / kBytesPerElement);
  layer.macs = macs_per_sample(node, layer.parameters, batch);
  return layer;
}

/// A module with parameters whose backward pass cost nothing was not timed properly (GNMT's
/// bidirectional LSTM, whose backward time appears at the embedding before it).
void doubt_backward(const GraphNode& node, ImportReport& report) {
  if (node.parameter_bytes == 0 || node.backward >= node.forward * kDoubtfulBackward)
    return;
  report.doubt("backward pass of a module with parameters under 1 % of its forward pass",
               fmt::format("line {}", node.line));
}

/// Adds the layers in forward order; returns each node's layer, none for a dropped node.
std::vector<std::optional<LayerId>> add_layers(const GraphFile& file, const std::string& origin,
                                               Workload& workload, ImportReport& report) {
  std::vector<std::optional<LayerId>> layer(file.nodes.size());
  for (const std::uint32_t index : forward_order(file, origin)) {
    const GraphNode& node = file.nodes[index];
    if (is_input(node))
      continue;
    doubt_backward(node, report);
    layer[index] = static_cast<LayerId>(workload.layers.size());
    workload.layers.push_back(layer_of(node, workload.batch, origin));
  }
  if (workload.layers.empty())
    throw InputError(origin + ": expected a module beside the input");
  return layer;
}

void add_edges(const GraphFile& file, const std::vector<std::optional<LayerId>>& layer,
               Workload& workload) {
  for (const auto& [from, to] : file.edges) {
    if (layer[from] && layer[to])
      workload.edges.emplace_back(*layer[from], *layer[to]);
  }
  std::ranges::sort(workload.edges);
  const bool chain =
      workload.edges.size() + 1 == workload.layers.size() &&
      std::ranges::all_of(workload.edges, [](auto edge) { return edge.first + 1 == edge.second; });
  if (chain)
    workload.edges.clear();
}

void check_times(const Workload& workload, const std::string& origin) {
  const Seconds step = forward_time(workload) + backward_time(workload);
  if (step > Seconds{0} && std::isfinite(step.value))
    return;
  throw InputError(origin + ": expected times above zero with a finite sum");
}

Workload workload_of(const GraphFile& file, const ProfileBatch& batch, const std::string& origin,
                     const ImportOptions& options, ImportReport& report) {
  Workload workload;
  workload.model = options.model.empty() ? model_of(origin) : options.model;
  workload.device = options.device.empty() ? pipedream_reader().name() : options.device;
  workload.batch = batch.size;
  workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
  add_edges(file, add_layers(file, origin, workload, report), workload);
  check_times(workload, origin);
  workload.provenance = profile_provenance(file, workload, batch);
  workload.provenance.source =
      options.source.empty() ? "PipeDream profile " + origin : options.source;
  return workload;
}

class PipedreamReader final : public TraceReader {
 public:
  std::string name() const override { return "pipedream"; }

  bool sniff(std::string_view head) const override {
    const std::size_t start = head.find_first_not_of("\r\n");
    if (start == std::string_view::npos)
      return false;
    const std::string_view line = head.substr(start, head.find('\n', start) - start);
    return node_number(line.substr(0, line.find(' '))) && line.find(" -- ") != line.npos;
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override {
    const TraceStream& trace = only_file(files, name());
    const std::string& origin = trace.origin;
    const GraphFile file = parse_graph_file(text_of(trace), origin, report);
    return workload_of(file, profile_batch(file, options.batch, origin), origin, options, report);
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override {
    const TraceStream& trace = only_file(files, name());
    const GraphFile file = parse_graph_file(text_of(trace), trace.origin, report);
    const auto batch = derived_batch(file);
    TraceSummary summary = summary_of(
        workload_of(file, {.size = batch.value_or(1)}, trace.origin, options, report), name());
    if (!batch)
      std::ranges::find(summary.facts, "batch", &std::pair<std::string, std::string>::first)
          ->second = "not in the file";
    return summary;
  }
};

}  // namespace

const TraceReader& pipedream_reader() {
  static const PipedreamReader reader;
  return reader;
}

}  // namespace stepcast
