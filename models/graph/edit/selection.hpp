#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/graph/edit/work_graph.hpp"

namespace stepcast {

/// Whether a text is as a pattern says, in which `*` stands for any characters and `?` for one.
bool matches(std::string_view pattern, std::string_view text);

/// Patterns of which a text must match one, and others of which it must match none.
struct TextSelection {
  std::vector<std::string> any;  ///< Empty: every text.
  std::vector<std::string> none;

  bool holds(std::string_view text) const;
};

/// First and last; none: all.
using NumberRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Which nodes an edit is about: those for which all of this holds.
struct WorkSelection {
  TextSelection name;
  TextSelection kind;
  TextSelection layer;
  TextSelection stream;
  NumberRanges ranks;
  NumberRanges stages;  ///< Of a pipeline.
  std::optional<bool> communicates;
};

/// By node. Linear in nodes, and in texts times patterns. Throws InputError where the selection
/// asks for a stage of a graph that has none, or for some of the ranks that a plan knows as one.
std::vector<bool> selected(const WorkGraph& graph, const WorkSelection& selection);

}  // namespace stepcast
