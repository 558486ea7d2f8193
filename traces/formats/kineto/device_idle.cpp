#include "traces/formats/kineto/device_idle.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "traces/formats/kineto/intervals.hpp"

namespace stepcast {
namespace {

constexpr Seconds kResolution{1e-9};  // Of the profiler; less is a rounding.

bool is_collective(const DeviceWork& work) {
  return work.phase == WorkPhase::Communication;
}

/// What is left of a stretch; nothing if that is a rounding.
Seconds rest_of(Seconds begin, Seconds end, Seconds part) {
  const Seconds rest = end - begin - part;
  return rest < kResolution ? Seconds{} : rest;
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

/// Goes through the work in order and cuts the idle time between.
class IdleFinder {
 public:
  IdleFinder(const KinetoTrace& trace, const KinetoView& view)
      : trace_(trace),
        steps_(view.device_steps),
        collectives_(trace, view),
        busy_until_(steps_.size()) {
    idle_.before.resize(view.work.size());
    idle_.behind.resize(steps_.size());
  }

  DeviceIdle run(const std::vector<DeviceWork>& all);

 private:
  void end_steps();
  IdleTime idle_between(Seconds begin, Seconds end, const DeviceWork& next) const;
  IdleTime idle_behind(Seconds begin, Seconds end) const;

  const KinetoTrace& trace_;
  const std::vector<DeviceStep>& steps_;
  const Collectives collectives_;
  std::vector<std::optional<Seconds>> busy_until_;  // by step; none: it has no work
  Seconds since_{};
  DeviceIdle idle_;
};

/// Part of the stretch that `next` ends.
IdleTime IdleFinder::idle_between(Seconds begin, Seconds end, const DeviceWork& next) const {
  if (end - begin < kResolution)
    return {};
  const Seconds start = trace_.events[next.event].start;
  const Seconds launched =
      next.launch == kNoEvent ? since_ : std::min(start, trace_.events[next.launch].end());
  IdleTime idle;
  if (const auto until = collectives_.awaited(since_, launched, start))
    idle.collective = collectives_.covered(begin, std::min(end, *until));
  else if (launched <= since_)
    idle.collective = collectives_.covered(begin, end);
  (launched > since_ ? idle.host : idle.pause) = rest_of(begin, end, idle.collective);
  return idle;
}

/// Behind the last work of a step: what the host awaited in a synchronising call, or what the step
/// ended with, is a wait for a collective.
IdleTime IdleFinder::idle_behind(Seconds begin, Seconds end) const {
  IdleTime idle;
  if (end - begin < kResolution)
    return idle;
  const bool ends_with_one = collectives_.covered(end - kResolution, end) > Seconds{};
  if (const auto until = ends_with_one ? end : collectives_.awaited(begin, end, end))
    idle.collective = collectives_.covered(begin, std::min(end, *until));
  idle.host = rest_of(begin, end, idle.collective);
  return idle;
}

void IdleFinder::end_steps() {
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].alone && busy_until_[i])
      idle_.behind[i] = idle_behind(*busy_until_[i], steps_[i].end);
}

DeviceIdle IdleFinder::run(const std::vector<DeviceWork>& all) {
  std::optional<Seconds> since;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DeviceWork& work = all[i];
    if (is_collective(work))
      continue;
    const KinetoEvent& event = trace_.events[work.event];
    if (work.step != kNoStep) {
      const Seconds begin = steps_[work.step].begin;
      since_ = std::max(since.value_or(begin), begin);
      idle_.before[i] = idle_between(since_, event.start, work);
    }
    since = std::max(since.value_or(event.end()), event.end());
    if (work.step != kNoStep)
      busy_until_[work.step] = since;
  }
  end_steps();
  return std::move(idle_);
}

}  // namespace

DeviceIdle find_idle(const KinetoTrace& trace, const KinetoView& view) {
  return IdleFinder(trace, view).run(view.work);
}

}  // namespace stepcast
