#pragma once

#include <span>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace stepcast {

/// A task that another one waits for.
struct Predecessor {
  TaskId task = 0;
  std::uint32_t iterations_back = 0;  ///< 0: of the same iteration; 1: of the one before.
};

/// The edges of a repeated task graph turned round, for walks back in time.
class Predecessors {
 public:
  /// `earlier`: what tasks wait for in iterations before, and which task does.
  Predecessors(const TaskGraph& graph, std::span<const std::pair<Predecessor, TaskId>> earlier);

  std::span<const Predecessor> of(TaskId task) const {
    return std::span(list_).subspan(first_[task], first_[task + 1] - first_[task]);
  }

 private:
  std::vector<std::uint32_t> first_;  // of(t) is list_[first_[t] .. first_[t + 1])
  std::vector<Predecessor> list_;
};

}  // namespace stepcast
