#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <tuple>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

class SimGrid;

/// The simulator's clock and agenda: events in the total order (time, order of posting), those that
/// come late in their instant behind all others of it. Where SimGrid moves flows, it owns the clock
/// and the main loop, and the agenda stands behind one armed timer of it: its own timers are not
/// FIFO among equal dates and cost more.
///
/// Times count from the construction of the queue, so a forecast does not depend on what the
/// process simulated before; there is one at a time. An exception of an event stops the agenda and
/// leaves run().
class EventQueue {
 public:
  using Action = std::function<void()>;  ///< Keep captures within 16 bytes: no allocation then.

  /// On SimGrid's clock, which is set to zero, or on its own.
  explicit EventQueue(SimGrid* simgrid = nullptr);
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  Seconds now();

  /// When the next event is due; infinite if there is none.
  Seconds next_time() const;

  /// Within an event and on the own clock: the time is `time`, which is not after next_time().
  void advance_to(Seconds time) { now_ = time.value > now_ ? time.value : now_; }

  /// Runs `action` at `time`, not before now.
  void at(Seconds time, Action action);
  void after(Seconds delay, Action action) { at(now() + delay, std::move(action)); }

  /// Runs `action` when all else that happens at `time` has happened: for decisions that must not
  /// hang on the order of events of one instant. Several make a round: what any of them brings
  /// about at this instant, none of them sees.
  void late(Seconds time, Action action);

  /// Runs until no event and no flow is left. Rethrows what an event threw.
  void run();

  /// Runs `action`, keeping what it throws for run(): nothing may propagate through SimGrid.
  void guard(const Action& action);

 private:
  struct Event {
    double time;
    bool late;
    std::uint64_t sequence;
    std::uint32_t action;  // in actions_, which stays where it is while the heap is sorted
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::tie(a.time, a.late, a.sequence) > std::tie(b.time, b.late, b.sequence);
    }
  };
  void post(Seconds time, bool late, Action action);
  bool is_due(double until) const {
    return !heap_.empty() && heap_.front().time <= until && !failure_;
  }
  Event take();
  void perform(const Event& event);
  void arm();
  void fire(double until);

  SimGrid* simgrid_;
  double origin_ = 0;  // SimGrid's clock at construction
  double now_ = 0;     // never goes back
  std::uint64_t sequence_ = 0;
  std::vector<Event> heap_;
  std::vector<Event> round_;  // of late events
  std::vector<Action> actions_;
  std::vector<std::uint32_t> idle_;  // actions_ to use again
  void* timer_ = nullptr;            // the armed SimGrid timer
  double armed_for_ = 0;
  bool firing_ = false;
  std::exception_ptr failure_;
};

}  // namespace stepcast
