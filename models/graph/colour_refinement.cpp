#include "models/graph/colour_refinement.hpp"

#include <cstddef>
#include <unordered_map>

#include "models/base/mix.hpp"

// Colour refinement (1-dimensional Weisfeiler-Leman): a vertex's new colour is its old one together
// with the multiset of (label, colour) over its arcs, until no colour splits any more. The multiset
// is summed up as a sum of hashes, which needs no sorting; two of them are confused with a
// probability of 2^-64. A round costs O(vertices + arcs), and there are as many rounds as the
// longest way that a difference has to travel: a straggler in a pipeline of p stages needs about p.

namespace stepcast {
namespace {

// Numbers the colours in the order in which they occur; returns how many there are.
std::size_t number(std::vector<std::uint64_t>& colours) {
  std::unordered_map<std::uint64_t, std::uint64_t> numbers;
  for (std::uint64_t& colour : colours)
    colour = numbers.try_emplace(colour, numbers.size()).first->second;
  return numbers.size();
}

}  // namespace

std::uint32_t ColouredGraph::add(std::uint64_t colour) {
  colours.push_back(colour);
  return static_cast<std::uint32_t>(colours.size() - 1);
}

void ColouredGraph::connect(std::uint32_t vertex, std::uint32_t to, std::uint64_t label) {
  from.push_back(vertex);
  arcs.push_back({to, label});
}

std::vector<std::uint32_t> equitable_partition(const ColouredGraph& graph) {
  std::vector<std::uint64_t> colours = graph.colours;
  std::size_t count = number(colours);
  for (std::size_t before = 0; count != before;) {
    before = count;
    std::vector<std::uint64_t> met(colours.size());
    for (std::size_t i = 0; i < graph.arcs.size(); ++i)
      met[graph.from[i]] += mixed(graph.arcs[i].label, colours[graph.arcs[i].to]);
    for (std::size_t vertex = 0; vertex < colours.size(); ++vertex)
      colours[vertex] = mixed(colours[vertex], met[vertex]);
    count = number(colours);
  }
  return {colours.begin(), colours.end()};
}

}  // namespace stepcast
