#include "sim/jobs/edits/graph_replay.hpp"

#include <algorithm>

#include "models/base/error.hpp"
#include "sim/jobs/edits/priority_replay.hpp"

namespace stepcast {
namespace {

/// Of each node what it waits for: edges, and the node before it on its stream.
struct Waits {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> all;

  explicit Waits(const WorkGraph& graph) : begin(graph.nodes.size() + 1) {
    const std::vector<std::uint32_t> before = nodes_before(graph);
    const auto for_each = [&](auto visit) {
      for (const WorkEdge& edge : graph.edges)
        if (edge.later == 0)
          visit(edge.before, edge.after);
      for (std::uint32_t node = 0; node < before.size(); ++node)
        if (before[node] != kNone)
          visit(before[node], node);
    };
    for_each([&](std::uint32_t, std::uint32_t after) { ++begin[after + 1]; });
    for (std::size_t i = 1; i < begin.size(); ++i)
      begin[i] += begin[i - 1];
    all.resize(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for_each([&](std::uint32_t first, std::uint32_t after) { all[next[after]++] = first; });
  }
};

}  // namespace

std::vector<NodeTimes> replay_graph(const WorkGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  const Waits waits(graph);
  std::vector<NodeTimes> times(count);
  std::vector<Seconds> last_arrival;
  std::vector<std::vector<std::uint32_t>> members;
  std::size_t ended = 0;
  const auto run = [&](std::uint32_t node, Seconds start) {
    times[node].start = start;
    times[node].end = start + graph.nodes[node].duration;
    ++ended;
  };
  for (const std::uint32_t place : running_order(graph)) {
    if (place >= count) {
      const std::uint32_t meeting = place - count;
      for (const std::uint32_t node : members[meeting])
        run(node, last_arrival[meeting]);
      continue;
    }
    Seconds ready{};
    for (std::uint32_t i = waits.begin[place]; i < waits.begin[place + 1]; ++i)
      ready = std::max(ready, times[waits.all[i]].end);
    times[place].ready = ready + graph.nodes[place].delay;
    const std::uint32_t meeting = graph.nodes[place].meeting;
    if (meeting == kNone) {
      run(place, times[place].ready);
      continue;
    }
    members.resize(std::max<std::size_t>(members.size(), meeting + 1));
    last_arrival.resize(members.size());
    members[meeting].push_back(place);
    last_arrival[meeting] = std::max(last_arrival[meeting], times[place].ready);
  }
  if (ended < count)
    throw InputError("the edited step cannot run: something waits for itself");
  return times;
}

TimedStep replay_graphs(const std::vector<WorkGraph>& graphs) {
  TimedStep timed;
  for (const WorkGraph& graph : graphs) {
    timed.nodes.push_back(goes_by_priority(graph) ? replay_by_priority(graph)
                                                  : replay_graph(graph));
    Seconds last{};
    for (const NodeTimes& node : timed.nodes.back())
      last = std::max(last, node.end);
    timed.step += last / static_cast<double>(graphs.size());
  }
  return timed;
}

}  // namespace stepcast
