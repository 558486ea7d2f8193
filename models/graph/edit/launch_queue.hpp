#pragma once

#include "models/graph/edit/work_graph.hpp"

namespace stepcast {

/// A GPU may be so many iterations behind its host: CUDA queues about 1,000 launches, two steps.
inline constexpr std::uint32_t kIterationsAhead = 2;

/// Lets nothing in a plan fall behind without end. Where what runs on a stream holds up nothing
/// that its rank computes, in this or a later iteration, the host's launches fill their queue: the
/// rank begins an iteration when the stream has ended the one kIterationsAhead before. So a step is
/// no shorter than its busiest stream. Linear in nodes and edges.
void bound_queues(WorkGraph& graph);

}  // namespace stepcast
