#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/chakra/chakra_graph.hpp"
#include "traces/readers/kineto/kineto_trace.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;
constexpr double kLongest = 3.6e9;  // An hour in microseconds.
constexpr int kSend = 5;            // Node types from here on communicate.

ChakraNode node_of(const json& value, const std::string& place) {
  const auto fail = [&](const char* field, const char* expected) {
    throw InputError(fmt::format("{}/{}: expected {}", place, field, expected));
  };
  if (!value.is_object())
    throw InputError(place + ": expected a node");
  const json id = value.value("Id", json());
  const json name = value.value("Name", json());
  const json type = value.value("NodeType", json());
  const json runtime = value.value("runtime", json(0));
  const json host = value.value("is_cpu_op", json(true));
  if (!id.is_number_unsigned())
    fail("Id", "a whole number");
  if (!name.is_string())
    fail("Name", "a name");
  if (!type.is_number_unsigned())
    fail("NodeType", "a whole number");
  if (!runtime.is_number() || runtime < 0 || runtime > kLongest)
    fail("runtime", "microseconds from 0 on");
  if (!host.is_boolean())
    fail("is_cpu_op", "true or false");
  ChakraNode node{.id = id,
                  .name = name,
                  .duration = Seconds{runtime.get<double>() * kMicrosecond},
                  .on_host = host,
                  .communicates = type >= kSend};
  if (node.communicates)
    node.collective = collective_kind_of(node.name);
  const json dependencies = value.value("data_deps", json::array());
  if (!dependencies.is_array())
    fail("data_deps", "a list of node numbers");
  for (const json& dependency : dependencies) {
    if (!dependency.is_number_unsigned())
      fail("data_deps", "a list of node numbers");
    node.data_dependencies.push_back(dependency);
  }
  return node;
}

}  // namespace

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
