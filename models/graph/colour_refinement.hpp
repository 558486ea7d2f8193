#pragma once

#include <cstdint>
#include <vector>

namespace stepcast {

/// Vertices with colours and labelled arcs, to be asked which vertices are alike.
struct ColouredGraph {
  struct Arc {
    std::uint32_t to = 0;     ///< Whose colour `from` looks at.
    std::uint64_t label = 0;  ///< Arcs of different labels are told apart.
  };

  std::vector<std::uint64_t> colours;  ///< By vertex: what tells vertices apart to begin with.
  std::vector<std::uint32_t> from;     ///< By arc.
  std::vector<Arc> arcs;

  std::uint32_t add(std::uint64_t colour);  ///< A vertex.
  void connect(std::uint32_t vertex, std::uint32_t to, std::uint64_t label);
};

/// The coarsest equitable refinement of the colours: two vertices get the same number if they had
/// the same colour and their arcs of every label lead to equally many vertices of each number.
/// Numbers count from 0 in the order of the vertices.
std::vector<std::uint32_t> equitable_partition(const ColouredGraph& graph);

}  // namespace stepcast
