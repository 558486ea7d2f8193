#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "models/graph/compressed_rows.hpp"
#include "models/graph/task.hpp"

namespace stepcast {

/// Times of several replays side by side, each in a lane of its own.
struct alignas(64) Lanes {
  static constexpr std::size_t kCount = 8;  // A line of the cache: one access serves all.
  std::array<double, kCount> of{};
};

/// What a server takes as it comes: the n-th of the takers waits for the n-th of these to end,
/// whichever that is.
struct Arrivals {
  std::vector<std::uint32_t> of;      ///< Operations; as many as takers.
  std::vector<std::uint32_t> takers;  ///< In order.

  /// What arrives, in the order in which it ends by `end_of` an operation.
  template <typename EndOf>
  std::vector<std::uint32_t> in_order(EndOf end_of) const {
    std::vector<std::uint32_t> came = of;
    std::ranges::stable_sort(came, {}, end_of);
    return came;
  }
};

/// What operations of a step wait for.
struct StepLinks {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  std::span<const Edge> edges;  ///< The second waits for the first.
  CompressedRows<> meetings;    ///< Operations that are one: none starts before all can.
  std::span<const Arrivals> arrivals{};
};

/// When an operation ran as recorded.
struct RecordedTimes {
  Seconds begin{};
  Seconds end{};
};

/// A step, recorded or planned, in the order in which it is replayed. An operation starts when all
/// that it waits for has ended; one that meets others starts with the last of them. The order
/// depends on the edges alone, so a replay with other durations is one pass over it: linear in
/// operations and edges. What a server takes as it comes it takes in the order of that replay,
/// unless operations would then wait for each other: then in the recorded one.
class StepGraph {
 public:
  /// `recorded`: by operation, where meetings may contradict each other, so that nobody could go on
  /// (events are missing, or were paired wrongly): then the one that began first is taken apart,
  /// its members meet nobody. Empty: meetings stay as they are.
  StepGraph(std::size_t operations, StepLinks links, std::span<const RecordedTimes> recorded = {});

  /// Whether no operation waits for itself. A replay takes that for granted.
  bool can_run() const { return can_run_; }
  std::size_t taken_apart() const { return taken_apart_; }
  std::size_t size() const { return meeting_.size(); }
  /// An order in which everything can run. It lists operations and, as numbers from size() on,
  /// meetings, each behind its members. It is shorter where an operation waits for itself.
  std::span<const std::uint32_t> order() const { return order_; }

  /// The time from the step's beginning to its last end. `durations`, and `delays` (how much later
  /// an operation is ready than all it waits for; may be empty: none), by operation, in seconds.
  /// Fills `ends`. An operation in a meeting takes its duration from the last arrival.
  double replay(std::span<const double> durations, std::span<const double> delays,
                std::vector<double>& ends) const;

  /// Returns the same. Also fills, by operation, when it was ready and when it started: in a
  /// meeting with the last of its members. `delays` must not be empty.
  double replay(std::span<const double> durations, std::span<const double> delays,
                std::vector<double>& ends, std::span<double> ready, std::span<double> starts) const;

  /// Several replays at once without delays, each to the bit as by itself: in lane i operations of
  /// part `first` + i take what is `actual`, all others what is `ideal`. All are by operation.
  /// Fills `ends`.
  Lanes replay_parts(std::span<const std::uint32_t> parts, std::uint32_t first,
                     std::span<const double> actual, std::span<const double> ideal,
                     std::vector<Lanes>& ends) const;

  /// Returns the operations that operation `place` waits for by an edge, beside arrivals and
  /// meetings.
  std::span<const std::uint32_t> waits_of(std::uint32_t place) const { return waits_.of(place); }
  /// Which operation it takes of those that arrive, if operations end so; none: it takes none.
  std::optional<std::uint32_t> taken_by(std::uint32_t place, std::span<const double> ends) const;
  /// Returns the operations of its meeting, itself among them; empty: it is in none.
  std::span<const std::uint32_t> meeting_of(std::uint32_t place) const {
    return meeting_[place] == kNone ? std::span<const std::uint32_t>()
                                    : members_.of(meeting_[place]);
  }

 private:
  template <typename Time, typename EndOf, typename Delay>
  Time replay_times(EndOf end_of, Delay delay, std::vector<Time>& ends) const;
  void wait_for_arrival(std::uint32_t place, const std::vector<double>& ends, double& ready) const;
  void wait_for_arrival(std::uint32_t place, const std::vector<Lanes>& ends, Lanes& ready) const;
  template <typename EndOf>
  std::uint32_t arrival_taken(std::uint32_t place, EndOf end_of) const;
  bool takes(std::uint32_t place) const { return !taken_.empty() && taken_[place].first != kNone; }

  void set_waits(std::span<const StepLinks::Edge> edges);
  bool sort(std::span<const StepLinks::Edge> edges, std::span<const RecordedTimes> recorded);
  std::vector<std::uint32_t> take_apart(const std::vector<bool>& arrived,
                                        std::span<const RecordedTimes> recorded);

  CompressedRows<> waits_;
  std::vector<std::uint32_t> meeting_;  // By operation.
  CompressedRows<> members_;            // By meeting.
  std::vector<Arrivals> arrivals_;
  /// By operation: the index of the arrivals that it takes from (kNone: it takes none), and its
  /// turn among their takers. Empty: no operation takes any.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> taken_;
  std::vector<std::uint32_t> order_;
  std::size_t taken_apart_ = 0;
  bool can_run_ = true;
};

}  // namespace stepcast
