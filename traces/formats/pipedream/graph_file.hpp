#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// A node line of a PipeDream graph.txt:
/// `node12 -- ReLU(inplace) -- forward_compute_time=<ms>, backward_compute_time=<ms>,
/// activation_size=<bytes>, parameter_size=<bytes>`.
struct GraphNode {
  std::uint32_t number = 0;  ///< Of the file; numbers follow the order of the traced forward pass.
  std::uint32_t line = 0;
  std::string description;  ///< PyTorch's text for the module: "ReLU(inplace)".
  Seconds forward{};
  Seconds backward{};
  Bytes activation{};  ///< A module with several outputs states a list: their sum.
  std::uint64_t parameter_bytes = 0;
};

/// A graph.txt as it stands, nodes in the order of the file.
struct GraphFile {
  std::vector<GraphNode> nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< Indices into nodes.
};

/// Lines that are neither node nor edge are skipped and reported. Throws InputError with the line
/// number for a node or edge that is incomplete, a node that appears twice, an edge to an unknown
/// node, and for nodes without any edge (a truncated file).
GraphFile parse_graph_file(std::string_view text, const std::string& origin, ImportReport& report);

/// The number N of a text "nodeN", if it is one.
std::optional<std::uint32_t> node_number(std::string_view text);

/// Indices of the nodes such that every producer comes before its consumers; among nodes that are
/// free to go, the smallest number first (Kahn's algorithm). Throws InputError naming a node of a
/// cycle and its line, if there is one.
std::vector<std::uint32_t> forward_order(const GraphFile& file, const std::string& origin);

}  // namespace stepcast
