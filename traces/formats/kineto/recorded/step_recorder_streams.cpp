// What waits for what between the streams of the device.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "traces/formats/kineto/recorded/step_recorder.hpp"

namespace stepcast {
namespace {

constexpr Seconds kTolerance{2e-6};  // As of step_recorder_host.cpp.

}  // namespace

bool StepRecorder::launches_collective(std::uint32_t call) const {
  const Scope& scope = view_.scopes.around(call);
  if (scope.collective != kNoEvent)
    return trace_.collectives[event(scope.collective).collective].name != "wait";
  if (scope.top_operator == kNoEvent)
    return false;
  const std::string& name = trace_.name_of(event(scope.top_operator));
  return name.find("c10d") != std::string::npos || name.find("nccl") != std::string::npos;
}

// Device work in order of its launch, by what launched it and where it ran.
void StepRecorder::order_launches() {
  std::vector<std::uint32_t> order(launch_of_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t task) { return launch_time(task); });
  on_stream_.resize(result_.streams.size());
  computing_.resize(trace_.threads.size());
  for (const std::uint32_t task : order) {
    LaunchOrder& stream = on_stream_[result_.tasks[task].stream];
    const Seconds end = end_of(task);
    stream.latest_end.push_back(stream.tasks.empty() ? end
                                                     : std::max(end, stream.latest_end.back()));
    stream.tasks.push_back(task);
    if (result_.tasks[task].kind != RecordedKind::Collective && launch_of_[task] != kNoEvent)
      computing_[event(launch_of_[task]).thread].push_back(task);
  }
}

// The work of a list in order of launch that was launched last before a time.
std::uint32_t StepRecorder::last_launched(const std::vector<std::uint32_t>& tasks,
                                          Seconds before) const {
  const auto after =
      std::ranges::lower_bound(tasks, before, {}, [&](std::uint32_t t) { return launch_time(t); });
  return after == tasks.begin() ? kNoEvent : *std::prev(after);
}

// The first work beside collectives that was launched on a stream after a time, by any thread.
std::uint32_t StepRecorder::next_launched(std::uint16_t stream, Seconds after) const {
  const auto& tasks = on_stream_[stream].tasks;
  auto next =
      std::ranges::upper_bound(tasks, after, {}, [&](std::uint32_t t) { return launch_time(t); });
  while (next != tasks.end() && result_.tasks[*next].kind == RecordedKind::Collective)
    ++next;
  return next == tasks.end() ? kNoEvent : *next;
}

void StepRecorder::add_collective_dependencies() {
  for (std::uint32_t task = 0; task < launch_of_.size(); ++task) {
    if (result_.tasks[task].kind != RecordedKind::Collective || launch_of_[task] == kNoEvent)
      continue;
    for (std::uint16_t other = 0; other < on_stream_.size(); ++other) {
      if (other == result_.tasks[task].stream || only_communicates(other))
        continue;
      const std::uint32_t before = last_launched(on_stream_[other].tasks, launch_time(task));
      if (before != kNoEvent)
        add_checked(before, task);
      else if (const auto end = earlier_end(other);
               end && *end <= result_.tasks[task].start + kTolerance)
        result_.earlier.emplace_back(other, task);
    }
  }
  add_stream_waits();
}

// Calls of all threads that launch work, in order: one may wait for what another launched.
std::vector<std::uint32_t> StepRecorder::calls_in_order() const {
  std::set<std::uint16_t> threads = launching_threads_;
  threads.insert(view_.steps.thread);
  std::vector<std::uint32_t> calls;
  for (const std::uint16_t thread : threads)
    for (const std::uint32_t index : host_events(trace_, view_, thread, step_))
      if (event(index).kind == KinetoKind::Runtime)
        calls.push_back(index);
  std::ranges::stable_sort(calls, {}, [&](std::uint32_t call) { return event(call).start; });
  return calls;
}

/// On which the thread of a call computes; 0: on none yet.
std::uint16_t StepRecorder::stream_of_thread(std::uint32_t call) const {
  const std::uint32_t last = last_launched(computing_[event(call).thread], event(call).start);
  return last == kNoEvent ? std::uint16_t{0} : result_.tasks[last].stream;
}

// A thread lets the stream wait on which it computes; one that computed nothing yet, that on which
// work is launched next.
std::uint32_t StepRecorder::held_up_by(std::uint32_t wait) const {
  const Seconds at = event(wait).start;
  const std::uint32_t last = last_launched(computing_[event(wait).thread], at);
  if (last != kNoEvent)
    return next_launched(result_.tasks[last].stream, at);
  std::uint32_t first = kNoEvent;
  for (std::size_t stream = 0; stream < on_stream_.size(); ++stream) {
    const std::uint32_t next = next_launched(static_cast<std::uint16_t>(stream), at);
    if (next != kNoEvent && (first == kNoEvent || launch_time(next) < launch_time(first)))
      first = next;
  }
  return first;
}

bool StepRecorder::only_communicates(std::uint16_t stream) const {
  const auto& tasks = on_stream_[stream].tasks;
  return std::ranges::all_of(
      tasks, [&](std::uint32_t t) { return result_.tasks[t].kind == RecordedKind::Collective; });
}

// What was launched and is not waited for yet, in order. Which of it a call waits for is not
// recorded: of collectives the first one. Messages are often sent without a wait, and received with
// one: where work began although it could have before, it waited for what ended just then, else
// for what of that was launched just before the call: what is received, collectives, what is sent.
class StepRecorder::Unwaited {
 public:
  explicit Unwaited(const StepRecorder& recorder) : of_(recorder) {}

  void launched(std::uint32_t task) {
    all_.insert(all_.end(), {all_.empty() ? 0 : all_.rbegin()->first + 1, task});
    by_end_.emplace(of_.end_of(task), all_.rbegin()->first);
    messages_ += is_message(task) ? 1 : 0;
    recent_.push_back(all_.rbegin()->first);
  }
  void computes() { recent_.clear(); }
  bool is_message(std::uint32_t task) const {
    return of_.result_.tasks[task].collective == CollectiveKind::Send;
  }
  const std::map<std::size_t, std::uint32_t>& all() const { return all_; }

  /// What a call surely waits for, by the times; none: they do not tell.
  std::uint32_t take_ended_just_before(std::uint32_t next) {
    return take(messages_ > 0 ? ended_just_before(next) : kNobody);
  }
  /// What it may wait for; none that times allow.
  std::uint32_t take_any(std::uint32_t next) { return take(choose(next)); }

 private:
  static constexpr auto kNobody = static_cast<std::size_t>(-1);

  std::uint32_t take(std::size_t number) {
    if (number == kNobody)
      return kNoEvent;
    const std::uint32_t task = all_.at(number);
    all_.erase(number);
    by_end_.erase({of_.end_of(task), number});
    messages_ -= is_message(task) ? 1 : 0;
    std::erase(recent_, number);
    return task;
  }
  /// Which is likelier to be waited for.
  enum class Rank : std::uint8_t { Received, Collective, Sent };
  Rank rank_of(std::uint32_t task) const {
    return of_.receives_.contains(task) ? Rank::Received
           : is_message(task)           ? Rank::Sent
                                        : Rank::Collective;
  }
  Seconds start_of(std::uint32_t task) const { return of_.result_.tasks[task].start; }
  bool may_hold(std::uint32_t task, std::uint32_t next) const {
    return of_.end_of(task) <= start_of(next) + kTolerance;
  }

  std::size_t choose(std::uint32_t next) const {
    const auto may_be = [&](const auto& each) { return may_hold(each.second, next); };
    if (messages_ == 0)
      return !all_.empty() && may_be(*all_.begin()) ? all_.begin()->first : kNobody;
    for (const Rank rank : {Rank::Received, Rank::Collective, Rank::Sent})
      for (const std::size_t number : recent_)
        if (rank_of(all_.at(number)) == rank && may_hold(all_.at(number), next))
          return number;
    const auto first = std::ranges::find_if(all_, may_be);
    return first == all_.end() ? kNobody : first->first;
  }

  std::size_t ended_just_before(std::uint32_t next) const {
    constexpr Seconds kJust{20e-6};  // A stream that waited begins its next work so soon.
    const std::uint32_t launch = of_.launch_of_[next];
    Seconds could = launch == kNoEvent ? Seconds{} : of_.event(launch).end();
    if (of_.behind_[next] != kNoEvent)
      could = std::max(could, of_.end_of(of_.behind_[next]));
    const Seconds from = std::max(could + kTolerance, start_of(next) - kJust);
    std::size_t best = kNobody;
    for (auto at = by_end_.upper_bound({from, kNobody});
         at != by_end_.end() && at->first <= start_of(next) + kTolerance; ++at)
      if (best == kNobody || rank_of(all_.at(at->second)) <= rank_of(all_.at(best)))
        best = at->second;  // Of equal rank the one that ended last.
    return best;
  }

  const StepRecorder& of_;
  std::map<std::size_t, std::uint32_t> all_;          // By the number of the launch.
  std::set<std::pair<Seconds, std::size_t>> by_end_;  // Of the same the numbers.
  std::size_t messages_ = 0;
  std::vector<std::size_t> recent_;  // Since work was launched that computes.
};

// What a stream waits for also holds up what is launched from it on another one.
void StepRecorder::add_stream_waits() {
  Unwaited unwaited(*this);
  std::map<std::uint16_t, std::vector<std::uint32_t>> waited;  // By stream, since it computed.
  for (const std::uint32_t call : calls_in_order()) {
    if (const auto found = launched_.find(call); found != launched_.end()) {
      for (const std::uint32_t task : found->second)
        if (result_.tasks[task].kind != RecordedKind::Collective) {
          // Its wait may not be recorded.
          if (const std::uint32_t before = unwaited.take_ended_just_before(task);
              before != kNoEvent)
            result_.edges.emplace_back(before, task);
          waited[result_.tasks[task].stream].clear();
          unwaited.computes();
        } else {
          for (const std::uint32_t before : waited[stream_of_thread(call)])
            if (end_of(before) <= result_.tasks[task].start + kTolerance)
              result_.edges.emplace_back(before, task);
          unwaited.launched(task);
        }
    }
    const bool waits = trace_.name_of(event(call)).find("StreamWaitEvent") != std::string::npos;
    if (!waits || launches_collective(call))
      continue;
    const std::uint32_t next = held_up_by(call);
    if (next == kNoEvent)
      continue;
    std::uint32_t before = unwaited.take_ended_just_before(next);
    if (before == kNoEvent && add_wait_for_earlier(next))
      continue;
    if (before == kNoEvent)
      before = unwaited.take_any(next);
    if (before != kNoEvent) {
      result_.edges.emplace_back(before, next);
      waited[result_.tasks[next].stream].push_back(before);
    }
  }
  unwaited_.clear();
  for (const auto& [number, task] : unwaited.all())
    if (!unwaited.is_message(task))
      unwaited_.insert(result_.streams[result_.tasks[task].stream]);
}

// A launch without work: its kernel was lost on its way to the file. Where the launch of what comes
// next was lost, too, it may lie before or behind that.
void StepRecorder::mark_lost_work() {
  std::vector<Seconds> lost;
  for (const std::uint32_t call : calls_in_order())
    if (trace_.name_of(event(call)).find("LaunchKernel") != std::string::npos &&
        !launched_.contains(call) && !launches_collective(call))
      lost.push_back(event(call).start);
  if (lost.empty())
    return;
  std::map<std::uint16_t, std::size_t> next;  // By stream: of the launches.
  for (std::uint32_t task = 0; task < launch_of_.size(); ++task) {
    RecordedTask& work = result_.tasks[task];
    if (work.kind == RecordedKind::Collective)
      continue;
    std::size_t& first = next[work.stream];
    const bool known = launch_of_[task] != kNoEvent;
    const Seconds until = known ? launch_time(task) : work.start;
    work.behind_lost = first < lost.size() && lost[first] < until;
    while (known && first < lost.size() && lost[first] < until)
      ++first;
  }
}

/// The first stream of which nothing waited for the collectives of the steps before.
bool StepRecorder::add_wait_for_earlier(std::uint32_t next) {
  for (auto name = unwaited_.begin(); name != unwaited_.end(); ++name) {
    const std::uint16_t on = stream(*name);
    const auto end = earlier_end(on);
    if (!end || *end > result_.tasks[next].start + kTolerance || on == result_.tasks[next].stream)
      continue;
    result_.earlier.emplace_back(on, next);
    unwaited_.erase(name);
    return true;
  }
  return false;
}

// Nothing shows how long these may take: neither later work of their stream nor a wait for them.
void StepRecorder::doubt_collectives_without_waiter() {
  std::vector<bool> waited(launch_of_.size(), false);
  for (const auto& [before, after] : result_.edges)
    if (before < waited.size())
      waited[before] = true;
  for (const LaunchOrder& stream : on_stream_)
    for (auto task = stream.tasks.rbegin(); task != stream.tasks.rend(); ++task) {
      if (waited[*task] || result_.tasks[*task].kind != RecordedKind::Collective)
        break;
      report_.doubt("collective that nothing in its step waits for",
                    fmt::format("{}: {}", result_.name, result_.tasks[*task].label));
    }
}

// A dependency that is concluded, not noted, must not contradict the recorded times.
void StepRecorder::add_checked(std::uint32_t before, std::uint32_t after) {
  if (end_of(before) <= result_.tasks[after].start + kTolerance)
    result_.edges.emplace_back(before, after);
  else
    report_.doubt("dependency between streams that the times contradict",
                  fmt::format("{}: {}", result_.name, result_.tasks[after].label));
}

}  // namespace stepcast
