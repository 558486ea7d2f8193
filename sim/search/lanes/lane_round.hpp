#pragma once

#include "sim/search/lanes/changed_replay.hpp"
#include "sim/search/lanes/lane_candidates.hpp"

namespace stepcast {

/// A step with a candidate's change.
struct ChangedStep {
  Seconds step{};
  std::vector<WorkGraph> graphs;  ///< Of a planned step; of a recorded one they are not needed.
  TimedStep timed;
};

/// A round of the search: what may be fused or cut in the step as it is now, and how long it takes
/// then. Of recorded steps only what a change touches is replayed; planned ones are simulated.
class LaneRound {
 public:
  /// Both must outlive this.
  LaneRound(const EditableStep& step, const TimedStep& now);

  std::vector<LaneCandidate> candidates() const;
  /// Throws InputError where something would wait for itself.
  ChangedStep with(const LaneCandidate& candidate);
  /// The step's graphs with it.
  std::vector<WorkGraph> graphs_with(const LaneCandidate& candidate) const;
  /// Makes sure that it has its graphs and their times.
  void complete(const LaneCandidate& candidate, ChangedStep& changed) const;

 private:
  LaneChange change_of(const LaneCandidate& candidate, std::size_t graph) const;

  const EditableStep& step_;
  const TimedStep& now_;
  std::vector<GraphLanes> lanes_;       // By graph.
  std::vector<ChangedReplay> replays_;  // By graph; none if one is planned or by priority.
};

}  // namespace stepcast
