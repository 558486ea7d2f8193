#include "traces/readers/chakra/chakra_reader.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/chakra/chakra_graph.hpp"

namespace stepcast {
namespace {

using NodeIndex = std::unordered_map<std::uint64_t, std::size_t>;

std::vector<ChakraNode> read_nodes(const TraceStream& file, ImportReport& report) {
  const std::string text = text_of(file);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string::npos && text[start] == '{';
  std::vector<ChakraNode> nodes =
      json ? parse_chakra_json(text, file.origin) : parse_chakra_protobuf(text, file.origin);
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

bool is_backward(const std::string& name) {
  return name.find("backward") != std::string::npos || name.find("Backward") != std::string::npos;
}

/// "convolution_backward" of "aten::convolution_backward(0)".
std::string operator_of(const std::string& name) {
  const std::string bare = name.substr(0, name.find('('));
  const std::size_t colon = bare.rfind("::");
  return colon == std::string::npos ? bare : bare.substr(colon + 2);
}

/// The host operator that a piece of device work belongs to: the first it depends on.
const ChakraNode* operator_before(const ChakraNode& node, const std::vector<ChakraNode>& nodes,
                                  const NodeIndex& known) {
  for (const std::uint64_t before : node.data_dependencies) {
    const auto found = known.find(before);
    if (found != known.end() && nodes[found->second].on_host)
      return &nodes[found->second];
  }
  return nullptr;
}

/// The layers of the graph: forward ones in order, then the backward ones in reverse order, so that
/// a backward pass meets them as recorded.
std::vector<Layer> layers_of(const std::vector<ChakraNode>& nodes) {
  NodeIndex known;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    known.emplace(nodes[i].id, i);
  std::vector<Layer> forward;
  std::vector<Layer> backward;
  const ChakraNode* last = nullptr;
  bool behind = false;
  for (const ChakraNode& node : nodes) {
    behind = behind || (node.on_host && is_backward(node.name));
    if (node.on_host || node.communicates)
      continue;
    const ChakraNode* around = operator_before(node, nodes, known);
    auto& layers = behind ? backward : forward;
    if (layers.empty() || around != last) {
      const std::string kind = operator_of(around == nullptr ? node.name : around->name);
      layers.push_back(
          {.name = fmt::format("{}-{}", kind, node.id), .kind = kind, .parameters = {}});
    }
    (behind ? layers.back().backward : layers.back().forward) += node.duration;
    last = around;
  }
  std::ranges::reverse(backward);
  std::ranges::move(backward, std::back_inserter(forward));
  return forward;
}

}  // namespace

bool ChakraReader::sniff(std::string_view head) const {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos)
    return false;
  if (head[start] == '{')
    return head.find("\"workload_graph\"") != std::string_view::npos;
  // Global metadata: a length, then field 1 (the version) or 2 (an attribute), both delimited.
  const auto length = static_cast<unsigned char>(head[0]);
  return head.size() > 2 && length > 0 && length < 0x80U && (head[1] == 0x0A || head[1] == 0x12) &&
         head.find('\0') != std::string_view::npos;
}

Workload ChakraReader::read(const std::vector<TraceStream>& files, const ImportOptions& options,
                            ImportReport& report) const {
  const TraceStream& file = only_file(files, name());
  const auto nodes = read_nodes(file, report);
  if (!options.batch)
    throw InputError(file.origin + ": the batch is not in the file: give it with --batch");
  Workload workload;
  workload.model = options.model.empty() ? "model" : options.model;
  workload.device = options.device.empty() ? name() : options.device;
  workload.batch = *options.batch;
  workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
  workload.layers = layers_of(nodes);
  if (forward_time(workload) + backward_time(workload) <= Seconds{})
    throw InputError(file.origin + ": expected device work with a duration, found none");
  report.doubt("gradient sizes that the trace does not tell", file.origin);
  workload.provenance = {
      .kind = ProvenanceKind::Measured,
      .source =
          options.source.empty() ? fmt::format("Chakra graph {}", file.origin) : options.source,
      .method =
          "device time behind a host operator; backward from the first operator on whose name "
          "says so",
      .notes = {"gradient sizes are not in the graph",
                "the optimizer's work is part of the backward pass"}};
  return workload;
}

TraceSummary ChakraReader::inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                                   ImportReport& report) const {
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

}  // namespace stepcast
