#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// Times of several replays side by side, each in a lane of its own.
struct alignas(64) Lanes {
  static constexpr std::size_t kCount = 8;  // A line of the cache: one access serves all.
  std::array<double, kCount> of{};
};

/// A job's step in the order in which it is replayed. An operation starts when all that it waits
/// for has ended; one that meets others starts with the last of them. The order depends on the
/// edges alone, so a replay with other durations is one pass over it: linear in operations and
/// edges. What a server takes as it comes it takes in the order of that replay, unless operations
/// would then wait for each other: then in the recorded one.
class StepGraph {
 public:
  /// Where meetings contradict each other, so that nobody could go on (events are missing, or were
  /// paired wrongly), the one that began first is taken apart: its members meet nobody. Throws
  /// InputError where operations wait for each other all the same.
  explicit StepGraph(const JobStep& step);

  std::size_t taken_apart() const { return taken_apart_; }
  std::size_t size() const { return waits_begin_.size() - 1; }

  /// The time from the step's beginning to its last end. `durations`, and `delays` (how much later
  /// an operation is ready than all it waits for; may be empty: none), by operation, in seconds.
  /// Fills `ends`. An operation in a meeting takes its duration from the last arrival.
  double replay(std::span<const double> durations, std::span<const double> delays,
                std::vector<double>& ends) const;

  /// Several replays at once without delays, each to the bit as by itself: in lane i operations of
  /// part `first` + i take what is `actual`, all others what is `ideal`. All are by operation.
  /// Fills `ends`.
  Lanes replay_parts(std::span<const std::uint32_t> parts, std::uint32_t first,
                     std::span<const double> actual, std::span<const double> ideal,
                     std::vector<Lanes>& ends) const;

  /// What operation `place` waits for on its own rank.
  std::span<const std::uint32_t> waits_of(std::uint32_t place) const {
    return std::span(waits_).subspan(waits_begin_[place],
                                     waits_begin_[place + 1] - waits_begin_[place]);
  }
  /// Which operation it takes of those that arrive, if operations end so; none: it takes none.
  std::optional<std::uint32_t> taken_by(std::uint32_t place, std::span<const double> ends) const;
  /// Those that it meets, with itself; empty: nobody.
  std::span<const std::uint32_t> meeting_of(std::uint32_t place) const {
    const std::uint32_t number = meeting_[place];
    return number == kNoMeeting ? std::span<const std::uint32_t>() : members_of(number);
  }

 private:
  std::span<const std::uint32_t> members_of(std::uint32_t meeting) const {
    return std::span(members_).subspan(members_begin_[meeting],
                                       members_begin_[meeting + 1] - members_begin_[meeting]);
  }
  template <typename Time, typename Duration, typename Delay>
  Time replay_times(Duration duration, Delay delay, std::vector<Time>& ends) const;
  void wait_for_arrival(std::uint32_t place, const std::vector<double>& ends, double& ready) const;
  void wait_for_arrival(std::uint32_t place, const std::vector<Lanes>& ends, Lanes& ready) const;
  template <typename EndOf>
  std::uint32_t arrival_taken(std::uint32_t place, EndOf end_of) const;
  bool takes(std::uint32_t place) const {
    return !taken_.empty() && taken_[place].first != kNoMeeting;
  }

  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  void find_waits(const Edges& edges);
  bool sort(const JobStep& step, const Edges& edges);
  std::vector<std::uint32_t> take_apart(const JobStep& step, const std::vector<bool>& arrived);

  std::vector<std::uint32_t> waits_;  // Of all operations, one after the other.
  std::vector<std::uint32_t> waits_begin_;
  std::vector<std::uint32_t> meeting_;
  std::vector<std::uint32_t> members_;  // Of all meetings.
  std::vector<std::uint32_t> members_begin_;
  std::vector<JobArrivals> arrivals_;
  /// By operation, of which arrivals it takes the how many-th; empty: nobody takes any.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> taken_;
  std::vector<std::uint32_t> order_;  // Operations; from size() on: meetings.
  std::size_t taken_apart_ = 0;
};

}  // namespace stepcast
