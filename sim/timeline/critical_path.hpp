#pragma once

#include <vector>

#include "sim/timeline/window.hpp"

namespace stepcast {

/// Consecutive tasks of the critical path that are alike: the same kind of compute, or the same
/// kind of collective on the same stream. Times count from the begin of the window.
struct PathSegment {
  bool idle = false;  ///< Nothing that the path waits for runs: negotiation, launch.
  TaskId first = kNone;
  TaskId last = kNone;
  std::uint32_t count = 0;  ///< Tasks in it; tensors that were fused count as one.
  ClassId rank_class = 0;
  Seconds startup{};  ///< Communication: the part that would stay if the buffers were empty.
  Seconds begin{};
  Seconds end{};
};

/// The chain of tasks that decides the length of the steady iteration of a class, in order of time.
///
/// Starts where the next iteration starts and walks back: from a task to the one it waited for that
/// ended last, among the edges of the graph, the edges from the iteration before and the task
/// before it on its stream; for a communication, on the member that was ready last. Stops at the
/// begin of the window. Shortening any task of the path shortens the iteration, until another path
/// takes over.
std::vector<PathSegment> critical_path_of(const Plan& plan, const Cluster& cluster,
                                          const Timeline& timeline, ClassId rank_class);

}  // namespace stepcast
