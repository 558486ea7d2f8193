#include "sim/jobs/edits/graph_replay.hpp"

#include <algorithm>

#include "models/base/error.hpp"

namespace stepcast {

std::vector<Interval> replay_graph(const WorkGraph& graph) {
  const StepGraph steps = step_graph_of(graph);
  if (!steps.can_run())
    throw InputError("the edited step cannot run: something waits for itself");
  std::vector<double> durations;
  std::vector<double> delays;
  for (const WorkNode& node : graph.nodes) {
    durations.push_back(node.duration.value);
    delays.push_back(node.delay.value);
  }
  std::vector<double> ends;
  steps.replay(durations, delays, ends);
  std::vector<Interval> times(ends.size());
  for (std::uint32_t node = 0; node < times.size(); ++node) {
    double last = 0;
    for (const std::uint32_t before : steps.waits_of(node))
      last = std::max(last, ends[before]);
    times[node].ready = Seconds{last + delays[node]};
    times[node].end = Seconds{ends[node]};
  }
  const auto ready = [&](std::uint32_t node) { return times[node].ready; };
  for (std::uint32_t node = 0; node < times.size(); ++node)
    if (const auto members = steps.meeting_of(node); members.empty())
      times[node].start = ready(node);
    else if (members.front() == node) {
      const Seconds met = ready(*std::ranges::max_element(members, {}, ready));
      for (const std::uint32_t member : members)
        times[member].start = met;
    }
  return times;
}

TimedStep replay_graphs(const std::vector<WorkGraph>& graphs) {
  TimedStep timed;
  for (const WorkGraph& graph : graphs) {
    timed.nodes.push_back(goes_by_priority(graph) ? replay_by_priority(graph)
                                                  : replay_graph(graph));
    Seconds last{};
    for (const Interval& node : timed.nodes.back())
      last = std::max(last, node.end);
    timed.step += last / static_cast<double>(graphs.size());
  }
  return timed;
}

}  // namespace stepcast
