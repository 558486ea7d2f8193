#pragma once

#include <span>
#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// What a class of ranks is doing at a moment, as its compute stream sees it.
enum class Activity : std::uint8_t {
  Compute,      ///< A task of the compute stream runs.
  OtherStream,  ///< None does, but a task of another stream runs (a communication, as a rule).
  Waiting,      ///< None runs; a communication waits for a rank that is not there yet.
  Idle,         ///< None of these: negotiation, launches.
};

/// A stretch of one activity. Times count from the begin of the window.
struct Segment {
  Activity activity = Activity::Idle;
  TaskId task = kNone;  ///< The task that runs or waits; kNone when idle.
  Seconds begin{};
  Seconds end{};
};

/// The part of a task that lies in the window. `since` is where the task began, which may be before
/// the window (then it is negative).
struct Piece {
  TaskId task = 0;
  Seconds since{};
  Seconds begin{};
  Seconds end{};
};

/// The steady iteration of one class of ranks, cut into segments without gap or overlap.
///
/// The steady state repeats with the iteration time, so what a task of this iteration does beyond
/// the end of the window is what the same task of the iteration before did at its begin: every
/// interval is taken once and wrapped into [0, length). Where several tasks of other streams run at
/// once, the one that started first counts.
struct Window {
  ClassId rank_class = 0;
  Seconds length{};
  std::vector<Segment> segments{};      ///< In order, from 0 to length.
  std::vector<Piece> communications{};  ///< By begin; may overlap.
};

/// For each communication the time at which its last member was ready; 0 for compute.
std::vector<Seconds> latest_ready_of(const Plan& plan, const Timeline& timeline);

/// The classes that compute longest and shortest on the compute stream; the first of equals.
struct Extremes {
  ClassId slowest = 0;
  ClassId fastest = 0;
  std::vector<ClassId> as_slow{};  ///< All that compute as long as the slowest, in order.
};
Extremes extremes_of(const Plan& plan, const Timeline& timeline);

/// `latest_ready` as latest_ready_of returns it.
Window window_of(const Plan& plan, const Timeline& timeline, ClassId rank_class,
                 std::span<const Seconds> latest_ready);

/// What the class computes, and nothing else: idle stands for the rest. `tasks` are those of its
/// compute stream, which all of the class have run, in plan order. Where all compute is on that
/// stream a breakdown has the same times of compute as one of window_of, at the cost of `tasks`.
Window compute_window_of(const Plan& plan, const Timeline& timeline, ClassId rank_class,
                         std::span<const TaskId> tasks);

}  // namespace stepcast
