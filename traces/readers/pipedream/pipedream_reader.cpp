#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/pipedream/graph_file.hpp"
#include "traces/readers/pipedream/graph_order.hpp"
#include "traces/readers/pipedream/module_text.hpp"
#include "traces/readers/pipedream/profile_batch.hpp"
#include "traces/readers/pipedream/profile_notes.hpp"
#include "traces/readers/recognition/formats.hpp"

namespace stepcast {

namespace {

constexpr std::uint64_t kBytesPerElement = 4;  // PipeDream profiled in fp32.
constexpr double kDoubtfulBackward = 0.01;     // Of the forward time.

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
