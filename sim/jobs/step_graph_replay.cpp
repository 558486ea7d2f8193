#include <algorithm>

#include "sim/jobs/step_graph.hpp"

namespace stepcast {
namespace {

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

/// Of those that may arrive the one that comes when it is its turn. Precondition: it takes one.
template <typename EndOf>
std::uint32_t StepGraph::arrival_taken(std::uint32_t place, EndOf end_of) const {
  std::vector<std::uint32_t> came = arrivals_[taken_[place].first].of;
  std::ranges::stable_sort(came, {}, end_of);
  return came[taken_[place].second];
}

std::optional<std::uint32_t> StepGraph::taken_by(std::uint32_t place,
                                                 std::span<const double> ends) const {
  if (!takes(place))
    return std::nullopt;
  return arrival_taken(place, [&](std::uint32_t other) { return ends[other]; });
}

void StepGraph::wait_for_arrival(std::uint32_t place, const std::vector<double>& ends,
                                 double& ready) const {
  raise(ready, ends[arrival_taken(place, [&](std::uint32_t other) { return ends[other]; })]);
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
      if (meeting_[place] == kNoMeeting)
        end(place, ready);
      else
        ends[place] = ready;  // Its arrival, until the others are there.
      continue;
    }
    const auto members = members_of(static_cast<std::uint32_t>(place - count));
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
