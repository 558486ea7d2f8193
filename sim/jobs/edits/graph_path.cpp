#include "sim/jobs/edits/graph_path.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stepcast {
namespace {

/// By node, which of those that it waits for ended last; kNone: none.
std::vector<std::uint32_t> last_waited_for(const WorkGraph& graph,
                                           const std::vector<Interval>& times) {
  std::vector<std::uint32_t> last(graph.nodes.size(), kNone);
  const auto offer = [&](std::uint32_t before, std::uint32_t after) {
    if (times[before].end <= times[after].start &&
        (last[after] == kNone || times[before].end > times[last[after]].end))
      last[after] = before;
  };
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      offer(edge.before, edge.after);
  const auto end = [&](std::uint32_t id) { return times[id].end; };
  const auto offer_last_of = [&](std::vector<std::uint32_t> by_end,
                                 const std::vector<std::uint32_t>& nodes) {
    std::ranges::stable_sort(by_end, {}, end);
    for (const std::uint32_t id : nodes) {
      auto found = std::ranges::upper_bound(by_end, times[id].start, {}, end);
      while (found != by_end.begin() && *std::prev(found) >= id &&
             end(*std::prev(found)) == end(id))
        --found;  // Work of no time does not wait for itself.
      if (found != by_end.begin())
        offer(*std::prev(found), id);
    }
  };
  // Of a stream on which several run at a time, that which ended last before it began. What meets
  // others was recorded as begun once its rank's host, busy with other streams, had asked for it.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> lanes;
  std::map<std::uint32_t, std::vector<std::uint32_t>> ranks;
  std::map<std::uint32_t, std::vector<std::uint32_t>> meeting;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    lanes[{node.rank, node.stream}].push_back(id);
    ranks[node.rank].push_back(id);
    if (node.meeting != kNone && !graph.planned)
      meeting[node.rank].push_back(id);
  }
  for (const auto& [lane, nodes] : lanes)
    offer_last_of(nodes, nodes);
  for (const auto& [rank, nodes] : meeting)
    offer_last_of(ranks[rank], nodes);
  return last;
}

/// Of a planned step: which nodes are the first of their stream and began when it ended its last
/// one of the iteration before. Such a stream is always busy.
std::vector<bool> close_a_round(const WorkGraph& graph, const TimedStep& timed) {
  constexpr double kIdle = 1e-3;  // Of an iteration: less than a report can tell.
  const std::vector<Interval>& times = timed.nodes.front();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Interval> lanes;
  const auto lane_of = [&](std::uint32_t id) -> Interval& {
    return lanes.try_emplace({graph.nodes[id].rank, graph.nodes[id].stream}, times[id])
        .first->second;
  };
  for (std::uint32_t id = 0; id < times.size(); ++id) {
    Interval& lane = lane_of(id);
    lane.start = std::min(lane.start, times[id].start);
    lane.end = std::max(lane.end, times[id].end);
  }
  std::vector<bool> close(times.size());
  for (std::uint32_t id = 0; id < times.size() && graph.planned; ++id) {
    const Interval& lane = lane_of(id);
    const double idle = std::abs((times[id].start - lane.end + timed.iteration).value);
    close[id] = times[id].start == lane.start && idle <= timed.iteration.value * kIdle;
  }
  return close;
}

}  // namespace

std::vector<Seconds> data_ready(const WorkGraph& graph, const std::vector<Interval>& times) {
  std::vector<Seconds> ready(graph.nodes.size());
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      ready[edge.after] = std::max(ready[edge.after], times[edge.before].end);
  const CompressedRows<> members = members_of_meetings(graph);
  for (std::uint32_t meeting = 0; meeting < members.size(); ++meeting) {
    Seconds last{};
    for (const std::uint32_t id : members.of(meeting))
      last = std::max(last, ready[id]);
    for (const std::uint32_t id : members.of(meeting))
      ready[id] = last;
  }
  return ready;
}

std::vector<std::uint32_t> critical_nodes(const WorkGraph& graph,
                                          const std::vector<Interval>& times) {
  std::vector<std::uint32_t> path;
  if (times.empty())
    return path;
  const std::vector<std::uint32_t> waited = last_waited_for(graph, times);
  const CompressedRows<> members = members_of_meetings(graph);
  const auto end = [&](std::uint32_t id) {
    return waited[id] == kNone ? Seconds{} : times[waited[id]].end;
  };
  std::uint32_t at = 0;
  for (std::uint32_t id = 0; id < times.size(); ++id)
    if (times[id].end > times[at].end)
      at = id;
  while (at != kNone && path.size() <= graph.nodes.size()) {
    path.push_back(at);
    std::uint32_t late = at;
    if (graph.nodes[at].meeting != kNone)
      for (const std::uint32_t member : members.of(graph.nodes[at].meeting))
        late = end(member) > end(late) ? member : late;
    at = waited[late];
  }
  return path;
}

std::string path_in_words(const WorkGraph& graph, const TimedStep& timed) {
  const std::vector<Interval>& times = timed.nodes.front();
  std::map<std::string, double> of_kind;
  double sum = 0;
  std::vector<std::uint32_t> path = critical_nodes(graph, times);
  const std::vector<bool> close = close_a_round(graph, timed);
  if (const auto found = std::ranges::find_if(path, [&](std::uint32_t id) { return close[id]; });
      found != path.end())
    path.erase(found + 1, path.end());
  // A planned step begins when its first task does, a recorded one at 0.
  const Seconds begin = path.empty() || !graph.planned ? Seconds{} : times[path.back()].start;
  Seconds next = begin;
  for (std::size_t i = path.size(); i-- > 0;) {
    const Interval& ran = times[path[i]];
    of_kind["waiting and delays"] += std::max(0.0, (ran.start - next).value);
    of_kind[graph.kinds[graph.nodes[path[i]].kind]] += (ran.end - ran.start).value;
    next = ran.end;
    sum = (ran.end - begin).value;
  }
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& [kind, time] : of_kind)
    shares.emplace_back(-time, kind);
  std::ranges::sort(shares);
  std::vector<std::string> parts;
  for (const auto& [time, kind] : shares)
    if (parts.size() < 4 && sum > 0 && -time >= 0.01 * sum)
      parts.push_back(fmt::format("{:.0f} % {}", -100 * time / sum, kind));
  return fmt::format("of the critical path: {}.", fmt::join(parts, ", "));
}

}  // namespace stepcast
