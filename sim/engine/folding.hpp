#pragma once

#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// Ranks grouped into classes, and which class belongs to which group of the plan.
struct Folding {
  std::vector<RankClass> classes;
  std::vector<ClassId> class_of_rank;
  std::vector<std::vector<ClassId>> members;  ///< Classes of each group of the plan, ascending.
};

/// Ranks are alike if they have the same straggler factor and belong to the same groups: they then
/// run the same tasks for the same times, and every collective of theirs starts and ends together,
/// so one of them can stand for all, exactly. With options.fold off every rank is a class of its
/// own. Throws InputError if a straggler is no rank of the cluster or a group names no rank of it.
Folding fold_ranks(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

}  // namespace stepcast
