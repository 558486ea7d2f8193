#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;
constexpr double kLongest = 3.6e9;         // An hour in microseconds.
constexpr std::uint64_t kComputation = 4;  // Of the node types; from the next one on they
constexpr std::uint64_t kSend = 5;         // communicate.

/// The fields of one node, as far as they are read.
class NodeFields {
 public:
  NodeFields(const json& node, const std::string& place) : node_(node), place_(place) {
    if (!node.is_object())
      throw InputError(place + ": expected a node");
  }

  std::uint64_t whole(const char* field) const {
    const json value = node_.value(field, json());
    if (!value.is_number_unsigned())
      fail(field, "a whole number");
    return value;
  }
  std::string name() const {
    const json value = node_.value("Name", json());
    if (!value.is_string())
      fail("Name", "a name");
    return value;
  }
  Seconds runtime() const {
    const json value = node_.value("runtime", json(0));
    if (!value.is_number() || value < 0 || value > kLongest)
      fail("runtime", "microseconds from 0 on");
    return Seconds{value.get<double>() * kMicrosecond};
  }
  bool on_host() const {
    const json value = node_.value("is_cpu_op", json(true));
    if (!value.is_boolean())
      fail("is_cpu_op", "true or false");
    return value;
  }
  std::vector<std::uint64_t> dependencies() const {
    const json values = node_.value("data_deps", json::array());
    const auto whole = [](const json& value) { return value.is_number_unsigned(); };
    if (!values.is_array() || !std::ranges::all_of(values, whole))
      fail("data_deps", "a list of node numbers");
    return values;
  }

 private:
  [[noreturn]] void fail(const char* field, const char* expected) const {
    throw InputError(fmt::format("{}/{}: expected {}", place_, field, expected));
  }

  const json& node_;
  const std::string& place_;
};

ChakraNode node_of(const json& value, const std::string& place) {
  const NodeFields fields(value, place);
  ChakraNode node{.id = fields.whole("Id"),
                  .name = fields.name(),
                  .duration = fields.runtime(),
                  .on_host = fields.on_host(),
                  .place_noted = value.contains("is_cpu_op"),
                  .communicates = fields.whole("NodeType") >= kSend,
                  .computes = fields.whole("NodeType") == kComputation,
                  .data_dependencies = fields.dependencies()};
  if (node.communicates)
    node.collective = collective_kind_of(node.name);
  return node;
}

}  // namespace

std::vector<ChakraNode> parse_chakra(std::string_view text, const std::string& origin) {
  std::vector<ChakraNode> nodes = json_start(text) == '{' ? parse_chakra_json(text, origin)
                                                          : parse_chakra_protobuf(text, origin);
  settle_places(nodes);
  return nodes;
}

void settle_places(std::vector<ChakraNode>& nodes) {
  const bool none_noted = std::ranges::none_of(nodes, &ChakraNode::place_noted);
  for (ChakraNode& node : nodes)
    if (!node.place_noted && (node.communicates || (none_noted && node.computes)))
      node.on_host = false;
}

std::vector<ChakraNode> parse_chakra_json(std::string_view text, const std::string& origin) {
  const json document = parse_json(text, origin);
  const auto graph = document.find("workload_graph");
  if (graph == document.end() || !graph->is_array())
    throw InputError(origin + ": /workload_graph: expected a list of nodes");
  std::vector<ChakraNode> nodes;
  for (std::size_t i = 0; i < graph->size(); ++i)
    nodes.push_back(node_of((*graph)[i], fmt::format("{}: /workload_graph/{}", origin, i)));
  return nodes;
}

}  // namespace stepcast
