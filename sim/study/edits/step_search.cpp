#include "sim/study/edits/step_search.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/study/edits/graph_path.hpp"
#include "sim/study/edits/lanes.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

struct LaneCandidate {
  EditKind kind = EditKind::Fuse;
  LanePlace place;
  std::uint32_t parts = 0;
  std::string text;
  Seconds estimate{};
};

class StepSearch {
 public:
  StepSearch(EditableStep step, const Workload* workload, EditedStep& result)
      : step_(std::move(step)), workload_(workload), result_(result), now_(timed(step_.graphs)) {
    if (!(result_.step_before > Seconds{}))
      result_.step_before = now_.step;
    result_.step_after = now_.step;
    result_.notes = step_.notes;
  }

  void apply(const EditRequest& request) {
    ++result_.tried;
    auto graphs = edited(step_.graphs, request, workload_, step_.ratio);
    TimedStep changed = timed(graphs);
    accept(EditKind::Asked, request.text, std::move(graphs), std::move(changed));
  }

  void search() {
    for (const char* recipe : {"cuda-graphs", "fused-optimiser", "kernel-fusion"})
      try_recipe(recipe);
    std::size_t before = 0;
    do {
      before = result_.accepted.size();
      while (now_.step > Seconds{} && stop_signal() == 0 && try_lanes() && !stalled()) {
      }  // What fused tensors wait for may be fused, too.
    } while (result_.accepted.size() > before && try_recipe("kernel-fusion"));
  }

  void finish() { result_.bound_by = path_in_words(step_.graphs.front(), now_.nodes.front()); }

 private:
  TimedStep timed(const std::vector<WorkGraph>& graphs) {
    ++result_.simulated;
    return step_.time(graphs);
  }
  void accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
              TimedStep changed);
  bool shorter(const TimedStep& changed) const {
    constexpr double kRounding = 1e-9;
    return changed.step < now_.step * (1 - kRounding);
  }
  bool try_recipe(const char* recipe);
  bool try_lanes();
  bool stalled() const;
  std::vector<LaneCandidate> candidates();
  void offer(const CommunicationLane& lane, const std::set<std::uint32_t>& on_path,
             const std::vector<Seconds>& ready, std::vector<LaneCandidate>& found);
  std::vector<WorkGraph> changed_by(const LaneCandidate& candidate) const;

  EditableStep step_;
  const Workload* workload_;
  EditedStep& result_;
  TimedStep now_;
};

void StepSearch::accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
                        TimedStep changed) {
  result_.accepted.push_back(
      {.kind = kind, .text = text, .gain = now_.step - changed.step, .step = changed.step});
  step_.graphs = std::move(graphs);
  now_ = std::move(changed);
  result_.step_after = now_.step;
}

bool StepSearch::try_recipe(const char* recipe) {
  if (stop_signal() != 0)
    return false;
  try {
    auto graphs = edited(step_.graphs, edit_request_of(recipe, {}), workload_, step_.ratio);
    ++result_.tried;
    TimedStep changed = timed(graphs);
    const bool gains = shorter(changed);
    if (gains)
      accept(EditKind::Recipe, recipe, std::move(graphs), std::move(changed));
    return gains;
  } catch (const InputError&) {
    return false;  // Not for such a step, or nothing in it is meant.
  }
}

bool StepSearch::stalled() const {
  constexpr std::size_t kRounds = 5;
  constexpr double kLeast = 0.001;
  const auto& accepted = result_.accepted;
  if (accepted.size() < kRounds)
    return false;
  Seconds gain{};
  for (std::size_t i = accepted.size() - kRounds; i < accepted.size(); ++i)
    gain += accepted[i].gain;
  return gain < now_.step * kLeast;
}

std::vector<WorkGraph> StepSearch::changed_by(const LaneCandidate& candidate) const {
  std::vector<WorkGraph> graphs;
  for (const WorkGraph& graph : step_.graphs)
    graphs.push_back(candidate.kind == EditKind::Fuse
                         ? fused_at(graph, candidate.place, step_.ratio)
                         : split_at(graph, candidate.place, candidate.parts, step_.ratio));
  return graphs;
}

bool StepSearch::try_lanes() {
  constexpr std::size_t kTimed = 4;
  std::vector<LaneCandidate> found = candidates();
  std::ranges::stable_sort(found, std::ranges::greater(), &LaneCandidate::estimate);
  const LaneCandidate* best = nullptr;
  std::vector<WorkGraph> best_graphs;
  TimedStep best_step = now_;
  for (std::size_t i = 0; i < std::min(kTimed, found.size()); ++i)
    try {
      auto graphs = changed_by(found[i]);
      TimedStep changed = timed(graphs);
      if (shorter(changed) && changed.step < best_step.step) {
        best = &found[i];
        best_graphs = std::move(graphs);
        best_step = std::move(changed);
      }
    } catch (const InputError&) {
      continue;  // It would wait for itself.
    }
  if (best != nullptr)
    accept(best->kind, best->text, std::move(best_graphs), std::move(best_step));
  return best != nullptr;
}

std::vector<LaneCandidate> StepSearch::candidates() {
  const WorkGraph& graph = step_.graphs.front();
  const std::vector<NodeTimes>& times = now_.nodes.front();
  std::vector<LaneCandidate> found;
  std::set<std::uint32_t> on_path;
  for (const std::uint32_t id : critical_nodes(graph, times))
    on_path.insert(id);
  const std::vector<Seconds> ready = data_ready(graph, times);
  for (const CommunicationLane& lane : lanes_of(graph))
    offer(lane, on_path, ready, found);
  result_.tried += found.size();
  return found;
}

void StepSearch::offer(const CommunicationLane& lane, const std::set<std::uint32_t>& on_path,
                       const std::vector<Seconds>& ready, std::vector<LaneCandidate>& found) {
  const WorkGraph& graph = step_.graphs.front();
  const std::vector<NodeTimes>& times = now_.nodes.front();
  const std::vector<std::uint32_t> next = passed_on_to(graph);
  const std::string& kind = graph.kinds[lane.kind];
  const auto lanes = nodes_of(graph, lane);
  const auto taken = [&](std::uint32_t id) { return times[id].end - times[id].start; };
  const auto name = [&](std::uint32_t id) { return graph.names[graph.nodes[id].name]; };
  for (std::uint32_t i = 0; i < lanes.front().size(); ++i) {
    const bool critical = std::ranges::any_of(
        lanes, [&](const auto& nodes) { return i < nodes.size() && on_path.contains(nodes[i]); });
    const std::uint32_t id = lanes.front()[i];
    const LanePlace place{lane, i};
    if (critical && next[id] != kNone)
      for (const std::uint32_t parts : {2U, 4U})
        found.push_back({.kind = EditKind::Split,
                         .place = place,
                         .parts = parts,
                         .text = fmt::format("cut {} {} of {} ({}) in {}", kind, i,
                                             graph.streams[lane.stream].name, name(id), parts),
                         .estimate = std::min(taken(id), taken(next[id])) * (1 - 1.0 / parts)});
    if (i + 1 == lanes.front().size() || !critical)
      continue;
    const std::uint32_t behind = lanes.front()[i + 1];
    const Bytes size = graph.nodes[id].size + graph.nodes[behind].size;
    const bool sized = graph.nodes[id].size > Bytes{} && graph.nodes[behind].size > Bytes{};
    const Seconds both =
        sized ? taken(behind) * step_.ratio(kind, graph.nodes[behind].size, size, 0, 0)
              : taken(id) + taken(behind);
    const Seconds gain = times[id].end + taken(behind) - ready[behind] - both;
    if (gain > Seconds{})
      found.push_back({.kind = EditKind::Fuse,
                       .place = place,
                       .text = fmt::format("fuse {} {} and {} of {} ({}, {})", kind, i, i + 1,
                                           graph.streams[lane.stream].name, name(id), name(behind)),
                       .estimate = std::min(gain, taken(id) + taken(behind) - both)});
  }
}

}  // namespace

void edit_step(EditableStep step, const std::vector<EditRequest>& asked, const Workload* workload,
               bool search, EditedStep& result) {
  const StopsBetweenJobs stops;
  StepSearch searching(std::move(step), workload, result);
  for (const EditRequest& request : asked)
    searching.apply(request);
  if (search)
    searching.search();
  searching.finish();
}

}  // namespace stepcast
