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

/// Goes through the work in order and cuts the idle time between.
class IdleFinder {
 public:
  IdleFinder(const KinetoTrace& trace, const KinetoView& view)
      : trace_(trace), steps_(view.steps.steps), collectives_(trace, view), states_(steps_.size()) {
    idle_.before.resize(view.work.size());
    idle_.behind.resize(steps_.size());
  }

  DeviceIdle run(const std::vector<DeviceWork>& all);

 private:
  struct State {
    bool begun = false;
    bool followed = false;  ///< By work of the next step, without a hole between the two.
    Seconds busy_until{};
  };

  void begin_step(const DeviceWork& work);
  void end_steps();
  IdleTime idle_between(Seconds begin, Seconds end, const DeviceWork& next) const;

  const KinetoTrace& trace_;
  const std::vector<KinetoStep>& steps_;
  const Collectives collectives_;
  std::vector<State> states_;
  Seconds since_{};
  DeviceIdle idle_;
};

/// Part of the stretch that `next` ends.
IdleTime IdleFinder::idle_between(Seconds begin, Seconds end, const DeviceWork& next) const {
  if (end - begin < kResolution)
    return {};
  const Seconds start = trace_.events[next.event].start;
  const Seconds launched =
      next.launch == kNoEvent ? start : std::min(start, trace_.events[next.launch].end());
  IdleTime idle;
  if (const auto until = collectives_.awaited(since_, launched, start))
    idle.collective = collectives_.covered(begin, std::min(end, *until));
  (launched > since_ ? idle.host : idle.pause) = end - begin - idle.collective;
  return idle;
}

/// Cuts the stretch before the first work of a step where the step begins.
void IdleFinder::begin_step(const DeviceWork& work) {
  const KinetoStep& step = steps_[work.step];
  states_[work.step].begun = true;
  if (work.step > 0 && states_[work.step - 1].begun && steps_[work.step - 1].end >= step.begin) {
    states_[work.step - 1].followed = true;
    idle_.behind[work.step - 1] = idle_between(since_, step.begin, work);
  }
}

/// Behind work that no other follows the host had launched none.
void IdleFinder::end_steps() {
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (states_[i].begun && !states_[i].followed)
      idle_.behind[i].host = std::max(Seconds{}, steps_[i].end - states_[i].busy_until);
}

DeviceIdle IdleFinder::run(const std::vector<DeviceWork>& all) {
  since_ = steps_.front().begin;  // Before it may lie times below zero.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DeviceWork& work = all[i];
    if (is_collective(work))
      continue;
    const KinetoEvent& event = trace_.events[work.event];
    if (work.step != kNoStep) {
      if (!states_[work.step].begun)
        begin_step(work);
      idle_.before[i] = idle_between(std::max(since_, steps_[work.step].begin), event.start, work);
    }
    since_ = std::max(since_, event.end());
    if (work.step != kNoStep)
      states_[work.step].busy_until = since_;
  }
  end_steps();
  return std::move(idle_);
}

}  // namespace

DeviceIdle find_idle(const KinetoTrace& trace, const KinetoView& view) {
  return IdleFinder(trace, view).run(view.work);
}

}  // namespace stepcast
