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
  std::vector<double> ready(delays.size());
  std::vector<double> starts(delays.size());
  steps.replay(durations, delays, ends, ready, starts);
  std::vector<Interval> times;
  for (std::size_t node = 0; node < ends.size(); ++node)
    times.push_back({Seconds{ready[node]}, Seconds{starts[node]}, Seconds{ends[node]}});
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
