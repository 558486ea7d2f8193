#pragma once

#include <span>
#include <utility>

#include "models/graph/compressed_rows.hpp"
#include "models/graph/task_graph.hpp"

namespace stepcast {

/// A task that another one waits for.
struct Predecessor {
  TaskId task = 0;
  std::uint32_t iterations_back = 0;  ///< 0: of the same iteration; 1: of the one before.
};

/// The edges of a repeated task graph turned round, for walks back in time.
using Predecessors = CompressedRows<Predecessor>;

/// `earlier`: what tasks wait for in iterations before, and which task does.
inline Predecessors predecessors_of(const TaskGraph& graph,
                                    std::span<const std::pair<Predecessor, TaskId>> earlier) {
  return {graph.size(), [&](auto add) {
            for (TaskId id = 0; id < graph.size(); ++id)
              for (const TaskId after : graph.successors(id))
                add(after, Predecessor{id, 0});
            for (const auto& [before, after] : earlier)
              add(after, before);
          }};
}

}  // namespace stepcast
