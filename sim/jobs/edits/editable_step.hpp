#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/graph/edit/graph_edit.hpp"
#include "sim/jobs/edits/planned_model.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// A step with its times.
struct TimedStep {
  Seconds step{};                            ///< Of several recorded ones the mean.
  Seconds iteration{};                       ///< Of a plan: of as many steps as differ.
  std::vector<std::vector<Interval>> nodes;  ///< By graph and node.
};

/// A step that can be edited and timed anew: a planned one, or the recorded ones of a job.
struct EditableStep {
  std::vector<WorkGraph> graphs;
  std::function<TimedStep(const std::vector<WorkGraph>&)> time;
  /// The same by a cheaper replay, where `time` is so dear that a search estimates first (see
  /// pays_to_estimate()); else empty.
  std::function<TimedStep(const std::vector<WorkGraph>&)> estimate;
  std::optional<TimedStep> timed;  ///< As it is, where that is known.
  TransferRatio ratio;
  std::optional<PlannedModel>
      model;                       ///< Of a planned step; of kernels their names say what they do.
  std::vector<std::string> notes;  ///< What is assumed, each a sentence.
  Bytes memory{};                  ///< What a GPU of a planned step holds.
  /// The planned step on so many GPUs, for as long as the one who made this lives; empty: it can
  /// not be replicated, or a graph can (a recorded one's).
  std::function<EditableStep(std::uint32_t ranks)> replicated;
};

}  // namespace stepcast
