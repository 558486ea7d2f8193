#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// "forward of conv1", "all-reduce \"bucket 3\"": a task as messages name it.
std::string describe(const Plan& plan, TaskId task);

/// Throws InputError naming the task whose team, stream or collective, or whose partner in an edge,
/// the plan does not have, or that needs more tasks than it waits for, or none.
void require_known_ids(const Plan& plan);

/// Which teams have a rank in common; each pair is looked at once.
class CommonRanks {
 public:
  /// `teams`, of which the first is the world, must outlive this.
  explicit CommonRanks(std::span<const Team> teams) : teams_(teams) {}

  bool between(TeamId a, TeamId b);

 private:
  std::span<const Team> teams_;
  std::map<std::pair<TeamId, TeamId>, bool> known_;
};

/// An edge holds on the ranks that run both of its tasks. Throws InputError naming the tasks where
/// there is none: the edge would hold nowhere.
void require_common_ranks(const Plan& plan);

}  // namespace stepcast
