#pragma once

#include <string>
#include <vector>

#include "models/graph/task.hpp"

namespace stepcast {

/// Communication under way that a schedule waits for by name, with Builder::wait or a task that
/// names it in `.after`.
struct Pending {
  std::string phase;            ///< What the wait counts as: "update".
  std::string of;               ///< "gradients"
  std::vector<TaskId> tasks{};  ///< In the order in which they were issued.

  void add(TaskId task) { tasks.push_back(task); }
};

}  // namespace stepcast
