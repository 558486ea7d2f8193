#include "sim/search/lanes/lane_round.hpp"

#include <algorithm>

#include "sim/jobs/edits/graph_replay.hpp"

namespace stepcast {

LaneRound::LaneRound(const EditableStep& step, const TimedStep& now) : step_(step), now_(now) {
  for (const WorkGraph& graph : step.graphs)
    lanes_.emplace_back(graph);
  if (std::ranges::all_of(step.graphs, [](const WorkGraph& graph) {
        return !graph.planned && !goes_by_priority(graph);
      }))
    for (std::size_t i = 0; i < step.graphs.size(); ++i)
      replays_.emplace_back(step.graphs[i], now.nodes[i]);
}

std::vector<LaneCandidate> LaneRound::candidates() const {
  return lane_candidates(step_, lanes_.front(), now_);
}

ChangedStep LaneRound::with(const LaneCandidate& candidate) {
  ChangedStep changed;
  for (std::size_t i = 0; i < replays_.size(); ++i) {
    const auto end = replays_[i].end_with(change_of(candidate, i), step_.ratio);
    if (!end) {
      complete(candidate, changed);
      return changed;
    }
    changed.step += *end / static_cast<double>(replays_.size());
  }
  if (replays_.empty())
    complete(candidate, changed);
  return changed;
}

std::vector<WorkGraph> LaneRound::graphs_with(const LaneCandidate& candidate) const {
  std::vector<WorkGraph> graphs;
  for (std::size_t i = 0; i < step_.graphs.size(); ++i)
    graphs.push_back(stepcast::changed(step_.graphs[i], change_of(candidate, i), step_.ratio));
  return graphs;
}

void LaneRound::complete(const LaneCandidate& candidate, ChangedStep& changed) const {
  if (!changed.graphs.empty())
    return;
  changed.graphs = graphs_with(candidate);
  changed.timed = step_.time(changed.graphs);
  changed.step = changed.timed.step;
}

LaneChange LaneRound::change_of(const LaneCandidate& candidate, std::size_t graph) const {
  return candidate.kind == EditKind::Fuse ? lanes_[graph].fusion_at(candidate.place)
                                          : lanes_[graph].cut_at(candidate.place, candidate.parts);
}

}  // namespace stepcast
