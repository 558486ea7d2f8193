// Replays a step: each operation starts when all that it waits for has ended, and a meeting when
// all its members are ready. The order is found once, by Kahn's algorithm, in which a meeting
// stands behind its members and before what waits for them. A replay is then one pass over that
// order. Where meetings contradict each other, the one whose waiting member began first as recorded
// is taken apart, again and again, until the order is complete. Arrivals depend on the times of the
// replay, so each taker stands behind all that may arrive. Where that is a cycle, what was taken as
// recorded becomes edges instead. Times are at least 0. Cost: linear in operations and edges, and
// an arrival sorts its candidates for each taker.
#include "models/graph/step_graph.hpp"

#include <utility>

namespace stepcast {
namespace {

using Edges = std::vector<StepLinks::Edge>;

/// Each taker behind all that may arrive, for the order in which operations are replayed.
Edges behind_arrivals(const StepLinks& links) {
  Edges edges(links.edges.begin(), links.edges.end());
  for (const Arrivals& arrivals : links.arrivals)
    for (const std::uint32_t taker : arrivals.takers)
      for (const std::uint32_t place : arrivals.of)
        edges.emplace_back(place, taker);
  return edges;
}

/// Each taker behind what it took.
Edges as_recorded(const StepLinks& links, std::span<const RecordedTimes> recorded) {
  Edges edges(links.edges.begin(), links.edges.end());
  for (const Arrivals& arrivals : links.arrivals) {
    const auto came = arrivals.in_order([&](std::uint32_t place) { return recorded[place].end; });
    for (std::size_t i = 0; i < came.size(); ++i)
      edges.emplace_back(came[i], arrivals.takers[i]);
  }
  return edges;
}

/// The operations that wait for none, the last one first.
std::vector<std::uint32_t> last_first(const std::vector<std::uint32_t>& missing) {
  std::vector<std::uint32_t> ready;
  for (auto place = static_cast<std::uint32_t>(missing.size()); place-- > 0;)
    if (missing[place] == 0)
      ready.push_back(place);
  return ready;
}

std::vector<std::size_t> sizes_of(const CompressedRows<>& rows) {
  std::vector<std::size_t> sizes;
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    sizes.push_back(rows.of(row).size());
  return sizes;
}

void raise(double& time, double to) {
  time = std::max(time, to);
}

void raise(Lanes& time, const Lanes& to) {
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane)
    raise(time.of[lane], to.of[lane]);
}

Lanes sum_of(const Lanes& a, const Lanes& b) {
  Lanes sum;
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane)
    sum.of[lane] = a.of[lane] + b.of[lane];
  return sum;
}

}  // namespace

StepGraph::StepGraph(std::size_t operations, StepLinks links,
                     std::span<const RecordedTimes> recorded)
    : meeting_(operations, kNone),
      members_(std::move(links.meetings)),
      arrivals_(links.arrivals.begin(), links.arrivals.end()) {
  for (std::uint32_t meeting = 0; meeting < members_.size(); ++meeting)
    for (const std::uint32_t member : members_.of(meeting))
      meeting_[member] = meeting;
  taken_.resize(arrivals_.empty() ? 0 : operations, {kNone, 0});
  for (std::uint32_t i = 0; i < arrivals_.size(); ++i)
    for (std::uint32_t n = 0; n < arrivals_[i].takers.size(); ++n)
      taken_[arrivals_[i].takers[n]] = {i, n};
  set_waits(links.edges);
  if (arrivals_.empty()) {
    can_run_ = sort(links.edges, recorded);
  } else if (!sort(behind_arrivals(links), recorded)) {
    taken_.clear();
    const auto edges = as_recorded(links, recorded);
    set_waits(edges);
    can_run_ = sort(edges, recorded);
  }
}

void StepGraph::set_waits(std::span<const StepLinks::Edge> edges) {
  waits_ = CompressedRows<>(size(), [&](auto add) {
    for (const auto& [before, after] : edges)
      add(after, before);
  });
}

// Kahn's algorithm, in which a meeting is ready when all its members are.
bool StepGraph::sort(std::span<const StepLinks::Edge> edges,
                     std::span<const RecordedTimes> recorded) {
  const auto count = static_cast<std::uint32_t>(size());
  std::vector<std::uint32_t> missing(count);
  const CompressedRows<> followers(count, [&](auto add) {
    for (const auto& [before, after] : edges)
      add(before, after);
  });
  for (const auto& [before, after] : edges)
    ++missing[after];
  std::vector<std::size_t> absent = sizes_of(members_);
  order_.clear();
  std::vector<std::uint32_t> ready = last_first(missing);
  std::size_t ended = 0;
  std::vector<bool> arrived(count);
  const auto end = [&](std::uint32_t place) {
    ++ended;
    arrived[place] = false;
    for (const std::uint32_t after : followers.of(place))
      if (--missing[after] == 0)
        ready.push_back(after);
  };
  while (ended < count) {
    if (ready.empty()) {
      const std::vector<std::uint32_t> waiting = take_apart(arrived, recorded);
      if (waiting.empty())
        return false;
      std::ranges::for_each(waiting, end);
      continue;
    }
    const std::uint32_t place = ready.back();
    ready.pop_back();
    order_.push_back(place);
    const std::uint32_t meeting = meeting_[place];
    arrived[place] = true;
    if (meeting == kNone) {
      end(place);
    } else if (--absent[meeting] == 0) {
      order_.push_back(count + meeting);
      std::ranges::for_each(members_.of(meeting), end);
    }
  }
  return true;
}

/// Takes apart the meeting of the operation that began first of those that wait for others of their
/// meeting. Returns the operations that waited at it; none where nobody waits.
std::vector<std::uint32_t> StepGraph::take_apart(const std::vector<bool>& arrived,
                                                 std::span<const RecordedTimes> recorded) {
  std::uint32_t first = kNone;
  for (std::uint32_t place = 0; place < recorded.size(); ++place)
    if (arrived[place] && (first == kNone || recorded[place].begin < recorded[first].begin))
      first = place;
  std::vector<std::uint32_t> waiting;
  if (first == kNone)
    return waiting;
  for (const std::uint32_t member : members_.of(meeting_[first])) {
    if (arrived[member])
      waiting.push_back(member);
    meeting_[member] = kNone;
  }
  ++taken_apart_;
  return waiting;
}

/// Returns the operation that `place` takes: as the n-th taker it takes the n-th to end of those
/// that may arrive. Precondition: takes(place).
template <typename EndOf>
std::uint32_t StepGraph::arrival_taken(std::uint32_t place, EndOf end_of) const {
  return arrivals_[taken_[place].first].in_order(end_of)[taken_[place].second];
}

std::optional<std::uint32_t> StepGraph::taken_by(std::uint32_t place,
                                                 std::span<const double> ends) const {
  if (!takes(place))
    return std::nullopt;
  return arrival_taken(place, [&](std::uint32_t other) { return ends[other]; });
}

void StepGraph::wait_for_arrival(std::uint32_t place, const std::vector<double>& ends,
                                 double& ready) const {
  raise(ready, ends[*taken_by(place, ends)]);
}

void StepGraph::wait_for_arrival(std::uint32_t place, const std::vector<Lanes>& ends,
                                 Lanes& ready) const {
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) {
    const auto end_of = [&](std::uint32_t other) { return ends[other].of[lane]; };
    raise(ready.of[lane], end_of(arrival_taken(place, end_of)));
  }
}

/// `delay` makes an operation ready later; `end_of` returns its end, from its start.
template <typename Time, typename EndOf, typename Delay>
Time StepGraph::replay_times(EndOf end_of, Delay delay, std::vector<Time>& ends) const {
  const std::size_t count = size();
  ends.resize(count);
  Time last{};
  const auto end = [&](std::uint32_t place, const Time& begin) {
    ends[place] = end_of(place, begin);
    raise(last, ends[place]);
  };
  for (const std::uint32_t place : order_) {
    if (place < count) {
      Time ready{};
      for (const std::uint32_t before : waits_of(place))
        raise(ready, ends[before]);
      if (takes(place))
        wait_for_arrival(place, ends, ready);
      delay(place, ready);
      if (meeting_[place] == kNone)
        end(place, ready);
      else
        ends[place] = ready;  // Its arrival, until the others are there.
      continue;
    }
    const auto members = members_.of(static_cast<std::uint32_t>(place - count));
    Time met{};
    for (const std::uint32_t member : members)
      raise(met, ends[member]);
    for (const std::uint32_t member : members)
      end(member, met);
  }
  return last;
}

double StepGraph::replay(std::span<const double> durations, std::span<const double> delays,
                         std::vector<double>& ends) const {
  const auto end_of = [&](std::uint32_t place, double begin) { return begin + durations[place]; };
  if (delays.empty())
    return replay_times(
        end_of, [](std::uint32_t, double&) {}, ends);
  const auto delay = [&](std::uint32_t place, double& ready) { ready += delays[place]; };
  return replay_times(end_of, delay, ends);
}

double StepGraph::replay(std::span<const double> durations, std::span<const double> delays,
                         std::vector<double>& ends, std::span<double> ready,
                         std::span<double> starts) const {
  const auto end_of = [&](std::uint32_t place, double begin) {
    starts[place] = begin;
    return begin + durations[place];
  };
  const auto delay = [&](std::uint32_t place, double& at) {
    at += delays[place];
    ready[place] = at;
  };
  return replay_times(end_of, delay, ends);
}

Lanes StepGraph::replay_parts(std::span<const std::uint32_t> parts, std::uint32_t first,
                              std::span<const double> actual, std::span<const double> ideal,
                              std::vector<Lanes>& ends) const {
  const auto end_of = [&](std::uint32_t place, const Lanes& begin) {
    Lanes times;
    times.of.fill(ideal[place]);
    if (const std::uint32_t lane = parts[place] - first; lane < Lanes::kCount)
      times.of[lane] = actual[place];
    return sum_of(begin, times);
  };
  return replay_times(
      end_of, [](std::uint32_t, Lanes&) {}, ends);
}

}  // namespace stepcast
