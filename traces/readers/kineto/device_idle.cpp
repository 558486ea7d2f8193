#include "traces/readers/kineto/device_idle.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "traces/readers/kineto/intervals.hpp"

namespace stepcast {
namespace {

constexpr Seconds kResolution{1e-9};  // Of the profiler; less is a rounding.

bool is_collective(const DeviceWork& work) {
  return work.phase == WorkPhase::Communication;
}

/// A collective ended while the host waited in a call that synchronises.
struct Release {
  Seconds ended{};
  Seconds returned{};  ///< The call.
};

/// When the collectives ran, and which of them the host waited for.
class Collectives {
 public:
  Collectives(const KinetoTrace& trace, const KinetoView& view);

  /// When the work could start as far as collectives go, if they were what it waited for last.
  std::optional<Seconds> awaited(Seconds idle_since, Seconds launched, Seconds start) const;

  Seconds covered(Seconds begin, Seconds end) const {
    return covered_length(running_, {begin, end});
  }

 private:
  void add_releases(const KinetoEvent& call);

  std::vector<Interval> running_;
  std::vector<Seconds> ends_;      // ascending
  std::vector<Release> releases_;  // by end of the collective
};

/// Threads that hold up computation when they wait.
std::set<std::uint16_t> launching_threads(const KinetoTrace& trace, const KinetoView& view) {
  std::set<std::uint16_t> threads{view.steps.thread};
  for (const DeviceWork& work : view.work)
    if (!is_collective(work) && work.launch != kNoEvent)
      threads.insert(trace.events[work.launch].thread);
  return threads;
}

Collectives::Collectives(const KinetoTrace& trace, const KinetoView& view) {
  for (const DeviceWork& work : view.work)
    if (is_collective(work)) {
      running_.emplace_back(trace.events[work.event].start, trace.events[work.event].end());
      ends_.push_back(running_.back().second);
    }
  running_ = united(running_);
  std::ranges::sort(ends_);
  if (ends_.empty())
    return;
  const auto threads = launching_threads(trace, view);
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Runtime && threads.contains(event.thread) &&
        trace.name_of(event).find("Synchronize") != std::string::npos)
      add_releases(event);
  std::ranges::sort(releases_, {}, &Release::ended);
}

void Collectives::add_releases(const KinetoEvent& call) {
  for (auto end = std::ranges::upper_bound(ends_, call.start);
       end != ends_.end() && *end <= call.end(); ++end)
    releases_.push_back({.ended = *end, .returned = call.end()});
}

std::optional<Seconds> Collectives::awaited(Seconds idle_since, Seconds launched,
                                            Seconds start) const {
  const auto next = std::ranges::upper_bound(ends_, start);
  if (next != ends_.begin() && *std::prev(next) > std::max(launched, idle_since))
    return *std::prev(next);
  auto release = std::ranges::upper_bound(releases_, launched, {}, &Release::ended);
  while (release != releases_.begin() && (--release)->ended > idle_since)
    if (release->returned <= launched)
      return release->ended;
  return std::nullopt;
}

/// The stretch from `since` to the work's start.
IdleTime split(const KinetoTrace& trace, const DeviceWork& work, Seconds since,
               const Collectives& collectives) {
  const KinetoEvent& event = trace.events[work.event];
  if (event.start - since < kResolution)
    return {};
  const Seconds launched = work.launch == kNoEvent
                               ? event.start
                               : std::min(event.start, trace.events[work.launch].end());
  IdleTime idle;
  if (const auto until = collectives.awaited(since, launched, event.start))
    idle.collective = collectives.covered(since, *until);
  (launched > since ? idle.host : idle.pause) = event.start - since - idle.collective;
  return idle;
}

std::vector<bool> steps_with_work(const KinetoView& view) {
  std::vector<bool> has_work(view.steps.steps.size(), false);
  for (const DeviceWork& work : view.work)
    if (work.step != kNoStep && !is_collective(work))
      has_work[work.step] = true;
  return has_work;
}

/// Whether the device's time goes on from the step before: both have work, and nothing lies
/// between.
bool goes_on(const KinetoSteps& steps, const std::vector<bool>& has_work, std::size_t step) {
  return step > 0 && step < steps.steps.size() && has_work[step - 1] && has_work[step] &&
         steps.steps[step].begin <= steps.steps[step - 1].end;
}

/// Host time at the ends of steps, by the end of the last work before.
std::vector<Seconds> tails(const KinetoSteps& steps, const std::vector<bool>& has_work,
                           const std::vector<Seconds>& busy_until) {
  std::vector<Seconds> tail(steps.steps.size());
  for (std::size_t step = 0; step < tail.size(); ++step)
    if (has_work[step] && !goes_on(steps, has_work, step + 1))
      tail[step] = std::max(Seconds{}, steps.steps[step].end - busy_until[step]);
  return tail;
}

}  // namespace

DeviceIdle find_idle(const KinetoTrace& trace, const KinetoView& view) {
  const Collectives collectives(trace, view);
  const std::vector<bool> has_work = steps_with_work(view);
  DeviceIdle idle{.before = std::vector<IdleTime>(view.work.size()), .tail = {}};
  std::vector<Seconds> busy_until(view.steps.steps.size());
  std::vector<bool> begun(view.steps.steps.size(), false);
  Seconds since = view.steps.steps.front().begin;  // Before it may lie times below zero.
  for (std::size_t i = 0; i < view.work.size(); ++i) {
    const DeviceWork& work = view.work[i];
    if (is_collective(work))
      continue;
    if (work.step != kNoStep) {
      if (!begun[work.step] && !goes_on(view.steps, has_work, work.step))
        since = std::max(since, view.steps.steps[work.step].begin);
      begun[work.step] = true;
      idle.before[i] = split(trace, work, since, collectives);
    }
    since = std::max(since, trace.events[work.event].end());
    if (work.step != kNoStep)
      busy_until[work.step] = since;
  }
  idle.tail = tails(view.steps, has_work, busy_until);
  return idle;
}

}  // namespace stepcast
