#include "models/graph/step_graph.hpp"

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

void raise(double& time, double to) {
  time = std::max(time, to);
}

void raise(Lanes& time, const Lanes& to) {
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane)
    raise(time.of[lane], to.of[lane]);
}

double sum_of(double a, double b) {
  return a + b;
}

Lanes sum_of(const Lanes& a, const Lanes& b) {
  Lanes sum;
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane)
    sum.of[lane] = a.of[lane] + b.of[lane];
  return sum;
}

}  // namespace

StepGraph::StepGraph(std::size_t operations, const StepLinks& links,
                     std::span<const RecordedTimes> recorded)
    : meeting_(operations, kNone),
      members_(links.meetings),
      arrivals_(links.arrivals.begin(), links.arrivals.end()) {
  for (std::uint32_t meeting = 0; meeting < members_.size(); ++meeting)
    for (const std::uint32_t member : members_.of(meeting))
      meeting_[member] = meeting;
  taken_.resize(arrivals_.empty() ? 0 : operations, {kNone, 0});
  for (std::uint32_t i = 0; i < arrivals_.size(); ++i)
    for (std::uint32_t n = 0; n < arrivals_[i].takers.size(); ++n)
      taken_[arrivals_[i].takers[n]] = {i, n};
  wait_for(links.edges);
  if (arrivals_.empty()) {
    can_run_ = sort(links.edges, recorded);
  } else if (!sort(behind_arrivals(links), recorded)) {
    taken_.clear();
    const auto edges = as_recorded(links, recorded);
    wait_for(edges);
    can_run_ = sort(edges, recorded);
  }
}

void StepGraph::wait_for(Edges edges) {
  waits_ = CompressedRows<>(size(), [&](auto add) {
    for (const auto& [before, after] : edges)
      add(after, before);
  });
}

// Kahn's algorithm, in which a meeting is ready when all its members are.
bool StepGraph::sort(Edges edges, std::span<const RecordedTimes> recorded) {
  const auto count = static_cast<std::uint32_t>(size());
  std::vector<std::uint32_t> missing(count);
  const CompressedRows<> followers(count, [&](auto add) {
    for (const auto& [before, after] : edges)
      add(before, after);
  });
  for (const auto& [before, after] : edges)
    ++missing[after];
  std::vector<std::size_t> absent;
  for (std::uint32_t meeting = 0; meeting < members_.size(); ++meeting)
    absent.push_back(members_.of(meeting).size());
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

/// Of the meetings at which somebody waits the one with the earliest of these; returns who waits,
/// nobody if there is none.
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

/// Of those that may arrive the one that comes when it is its turn. Precondition: it takes one.
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

/// `delay` makes an operation ready later.
template <typename Time, typename Duration, typename Delay>
Time StepGraph::replay_times(Duration duration, Delay delay, std::vector<Time>& ends) const {
  const std::size_t count = size();
  ends.resize(count);
  Time last{};
  const auto end = [&](std::uint32_t place, const Time& begin) {
    ends[place] = sum_of(begin, duration(place));
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
  const auto duration = [&](std::uint32_t place) { return durations[place]; };
  if (delays.empty())
    return replay_times(
        duration, [](std::uint32_t, double&) {}, ends);
  const auto delay = [&](std::uint32_t place, double& ready) { ready += delays[place]; };
  return replay_times(duration, delay, ends);
}

Lanes StepGraph::replay_parts(std::span<const std::uint32_t> parts, std::uint32_t first,
                              std::span<const double> actual, std::span<const double> ideal,
                              std::vector<Lanes>& ends) const {
  const auto duration = [&](std::uint32_t place) {
    Lanes times;
    times.of.fill(ideal[place]);
    if (const std::uint32_t lane = parts[place] - first; lane < Lanes::kCount)
      times.of[lane] = actual[place];
    return times;
  };
  return replay_times(
      duration, [](std::uint32_t, Lanes&) {}, ends);
}

}  // namespace stepcast
