#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/formats/chakra/chakra_layers.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {
namespace {

using NodeIndex = std::unordered_map<std::uint64_t, std::size_t>;

std::vector<ChakraNode> read_nodes(const TraceStream& file, ImportReport& report) {
  const std::string text = text_of(file);
  std::vector<ChakraNode> nodes = parse_chakra(text, file.origin);
  if (nodes.empty())
    throw InputError(file.origin + ": expected nodes, found none");
  NodeIndex known;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!known.emplace(nodes[i].id, i).second)
      throw InputError(
          fmt::format("{}: node {}: the number is there twice", file.origin, nodes[i].id));
  for (const ChakraNode& node : nodes)
    for (const std::uint64_t before : node.data_dependencies)
      if (!known.contains(before))
        report.doubt("dependency on a node that is not there", fmt::format("node {}", node.id));
  return nodes;
}

/// Device time and number of the collectives, which are in no layer.
std::string collectives_note(const std::vector<ChakraNode>& nodes) {
  Seconds time{};
  std::size_t count = 0;
  for (const ChakraNode& node : nodes)
    if (node.communicates && !node.on_host) {
      time += node.duration;
      ++count;
    }
  return fmt::format("{} collectives of {} on the device are left out: a schedule adds its own",
                     count, format_seconds(time));
}

bool has_gradients(const ChakraLayers& found) {
  return std::ranges::any_of(found.layers,
                             [](const Layer& layer) { return !layer.parameters.empty(); });
}

std::vector<std::string> notes_of(const std::vector<ChakraNode>& nodes, const ChakraLayers& found) {
  std::vector<std::string> notes = {
      fmt::format("{} backward operators joined to their forward ones by kind, in reverse order; "
                  "the other {} counted to the layer before them",
                  found.joined, found.backward - found.joined),
      "what follows the backward pass and its collectives is the update", collectives_note(nodes),
      has_gradients(found) ? "sizes of gradients (fp32 assumed): what is reduced in or behind the "
                             "backward pass, each as one gradient of the layer before it"
                           : "sizes of gradients: not in the graph",
      "not in the graph: when work ran: neither waits for the host nor overlap are known"};
  if (!found.odd.empty())
    notes.push_back(fmt::format("not joined, as they occur more or less often forward: {}",
                                fmt::join(found.odd, ", ")));
  return notes;
}

void count_doubts(const ChakraLayers& found, ImportReport& report) {
  for (const std::string& kind : found.odd)
    report.doubt("kind of operator that occurs more or less often backward than forward", kind);
}

class ChakraReader final : public TraceReader {
 public:
  std::string name() const override { return "chakra"; }

  bool sniff(std::string_view head) const override {
    if (json_start(head) == '{')
      return head.find("\"workload_graph\"") != std::string_view::npos;
    return begins_as_chakra_protobuf(head);
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override {
    const TraceStream& file = only_file(files, name());
    const auto nodes = read_nodes(file, report);
    if (!options.batch)
      throw InputError(file.origin + ": the batch is not in the file: give it with --batch");
    Workload workload;
    workload.model = options.model.empty() ? "model" : options.model;
    workload.device = options.device.empty() ? name() : options.device;
    workload.batch = *options.batch;
    workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
    ChakraLayers found = layers_of(operators_of(nodes));
    workload.layers = found.layers;
    workload.update = found.update;
    if (forward_time(workload) + backward_time(workload) <= Seconds{})
      throw InputError(file.origin + ": expected device work with a duration, found none");
    if (!options.architecture && !has_gradients(found))
      report.doubt("gradient sizes that the trace does not tell", file.origin);
    count_doubts(found, report);
    workload.provenance = {.kind = ProvenanceKind::Measured,
                           .source = options.source.empty()
                                         ? fmt::format("Chakra graph {}", file.origin)
                                         : options.source,
                           .method = "device time of the kernels that an operator launched, summed",
                           .notes = notes_of(nodes, found)};
    return workload;
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                       ImportReport& report) const override {
    const auto nodes = read_nodes(only_file(files, name()), report);
    TraceSummary summary{.format = name()};
    std::map<std::string, TraceSummary::Category> categories;
    std::map<std::tuple<std::string, Bytes>, CollectiveSummary> collectives;
    for (const ChakraNode& node : nodes) {
      const std::string category = node.on_host        ? "host"
                                   : node.communicates ? "communication"
                                                       : "computation";
      categories[category].time += node.duration;
      ++categories[category].count;
      if (node.on_host || !node.communicates)
        continue;
      const std::string kind = node.collective ? name_of(*node.collective) : "unknown";
      CollectiveSummary& entry = collectives[{kind, node.size}];
      entry.kind = kind;
      entry.size = node.size;
      entry.time += node.duration;
      ++entry.count;
    }
    summary.facts = {{"nodes", fmt::format("{}", nodes.size())}};
    for (auto& [category, totals] : categories) {
      totals.name = category;
      summary.categories.push_back(totals);
    }
    for (const auto& [key, entry] : collectives)
      summary.collectives.push_back(entry);
    return summary;
  }
};

}  // namespace

const TraceReader& chakra_reader() {
  static const ChakraReader reader;
  return reader;
}

}  // namespace stepcast
