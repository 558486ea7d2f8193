#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

#include "models/base/units.hpp"
#include "sim/engine/action.hpp"
#include "sim/engine/instants.hpp"
#include "sim/timeline/engine_use.hpp"

namespace stepcast {

class SimGrid;

/// The simulator's clock and agenda: events in the total order (time, order of posting), those that
/// come late in their instant behind all others of it. Ranks that do the same do it at the same
/// time: events of one instant are a list, and only instants are sorted, so that an event costs as
/// much as its instant has few others. While SimGrid moves flows, it owns the clock and the main
/// loop, and the agenda stands behind one armed timer of it: its own timers are not FIFO among
/// equal dates and cost more.
///
/// Times count from the construction of the queue; there is one at a time. An exception of an event
/// stops the agenda and leaves run().
class EventQueue {
 public:
  /// What ends beside the events, at times that may change. It ends as SimGrid's flows do: what is
  /// due less than a nanosecond after an instant ends with it, and is heard of behind the events.
  class Endings {
   public:
    virtual ~Endings() = default;
    virtual Seconds next_end() = 0;  ///< Infinite if there is none.
    virtual void end_before(Seconds time) = 0;
    virtual void tell_of_ends() = 0;
  };

  EventQueue() = default;  ///< On its own clock.
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  Seconds now() {
    if (!firing_ && simgrid_ != nullptr)
      read_clock();
    return {now_};
  }

  /// When the next event is due; infinite if there is none.
  Seconds next_time() const;

  /// Within an event and on the own clock: the time is `time`, which is not after next_time().
  void advance_to(Seconds time) { now_ = time.value > now_ ? time.value : now_; }

  /// Runs `action` at `time`, not before now.
  void at(Seconds time, const Action& action) { post(std::max(time.value, now_), false, action); }
  void after(Seconds delay, const Action& action) { at(now() + delay, action); }

  /// Runs `action` when all else that happens at `time` has happened: for decisions that must not
  /// hang on the order of events of one instant. Several make a round: what any of them brings
  /// about at this instant, none of them sees.
  void late(Seconds time, const Action& action) { post(std::max(time.value, now_), true, action); }

  /// On the own clock `endings` end as well; null: nothing does. They must outlive run().
  void watch(Endings* endings) { endings_ = endings; }

  /// SimGrid's clock goes on to now() and is the clock from here on, until leave(), which must not
  /// be called within an event. SimGrid must have neither flows nor timers.
  void enter(SimGrid& simgrid);
  void leave();

  /// What SimGrid has simulated for this queue.
  EngineUse use() const;

  /// Runs until no event, no ending and no flow is left. Rethrows what an event threw.
  void run();

  /// Runs `action`, keeping what it throws for run(): nothing may propagate through SimGrid.
  void guard(const Action& action);

 private:
  static constexpr double kNotFiring = -std::numeric_limits<double>::infinity();

  struct Event {
    double time;
    std::uint32_t posted;
  };
  void read_clock();
  void post(double time, bool late, const Action& action);
  bool is_due(double until) const {
    return !due_.empty() && due_.front().time <= until && !failure_;
  }
  bool has_late_now() const { return !late_now_.empty() && !failure_; }
  Event take();
  void perform(const Event& event);
  void arm();
  void fire(double until);
  void run_on_own_clock();

  SimGrid* simgrid_ = nullptr;  // whose clock it is; null: the own one
  SimGrid* entered_ = nullptr;  // whose clock it was at any time
  Endings* endings_ = nullptr;
  double origin_ = 0;  // what SimGrid's clock is ahead of this one
  double now_ = 0;     // never goes back
  InstantLists<Action> due_;
  std::vector<Event> late_now_;  // late in this instant: need no sorting
  std::vector<Event> round_;     // of late events
  void* timer_ = nullptr;        // the armed SimGrid timer
  double armed_for_ = 0;
  bool firing_ = false;
  double until_ = kNotFiring;  // what fires is due until then
  std::exception_ptr failure_;
};

}  // namespace stepcast
