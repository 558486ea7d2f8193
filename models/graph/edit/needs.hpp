#pragma once

#include <vector>

#include "models/graph/edit/graph_editor.hpp"

// Which communications of a recorded step are needed first, and the order that follows from it.

namespace stepcast {

/// By node the place, among all that its rank does, of the first computation that waits for it over
/// communications alone; kNone: none does. Of those who meet the first one's. Linear in nodes and
/// edges, times a logarithm.
std::vector<std::uint32_t> needs_of(const WorkGraph& graph);

/// Whether some communication is needed before one that is ahead of it on its stream.
bool overtakes(const WorkGraph& graph);

/// Their streams take, of what is ready, what is needed first, one at a time. Throws InputError
/// where none would overtake another, where such a stream computes, too, or where it was not
/// recorded what one of its communications waits for.
void reorder_by_need(const std::vector<std::uint32_t>& nodes, GraphEditor& editor);

}  // namespace stepcast
