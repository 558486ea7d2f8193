#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "traces/formats/kineto/recorded/step_recorder.hpp"

namespace stepcast {
namespace {

// Times of the device are rounded to microseconds in older traces.
constexpr Seconds kTolerance{2e-6};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Calls that return when work of the device has ended.
bool may_wait(std::string_view call) {
  return contains(call, "Synchronize") || contains(call, "Free") || contains(call, "Memcpy");
}

}  // namespace

// The thread's time from the cursor on, as one task.
void StepRecorder::add_host_task(std::uint16_t stream, Seconds until) {
  const auto task = static_cast<std::uint32_t>(result_.tasks.size());
  result_.tasks.push_back({.stream = stream,
                           .kind = RecordedKind::Host,
                           .start = std::min(cursor_, until),
                           .duration = std::max(Seconds{}, until - cursor_),
                           .label = "host"});
  for (const std::uint32_t before : waits_)
    result_.edges.emplace_back(before, task);
  for (const std::uint16_t before : waits_for_earlier_)
    result_.earlier.emplace_back(before, task);
  waits_.clear();
  waits_for_earlier_.clear();
  cursor_ = std::max(cursor_, until);
}

void StepRecorder::wait_for(std::uint32_t task, Seconds until) {
  waits_.push_back(task);
  cursor_ = std::max(cursor_, until);
}

// A launch ends a task, and the work waits for it. A blocking call waits for work in turn.
void StepRecorder::add_call(std::uint16_t stream, std::uint32_t call) {
  const auto launched = launched_.find(call);
  const Waited waited = waited_works(call);
  if (launched != launched_.end()) {
    add_host_task(stream, launched_at(call, launched->second.front(), !waited.empty()));
    const auto task = static_cast<std::uint32_t>(result_.tasks.size() - 1);
    for (const std::uint32_t work : launched->second)
      result_.edges.emplace_back(task, work);
  } else if (!waited.empty()) {
    add_host_task(stream, event(call).start);
  }
  for (const std::uint32_t work : waited.tasks)
    wait_for(work, std::min(end_of(work), event(call).end()));
  for (const std::uint16_t on : waited.earlier) {
    waits_for_earlier_.push_back(on);
    cursor_ = std::max(cursor_, std::min(*earlier_end(on), event(call).end()));
  }
}

// A launch takes effect when the call ends, or when the work began if that was earlier; in a
// blocking call that itself waited for work before on the stream, when the call began.
Seconds StepRecorder::launched_at(std::uint32_t call, std::uint32_t work, bool blocking) const {
  const Seconds begin = event(call).start;
  const Seconds until = std::clamp(result_.tasks[work].start, begin, event(call).end());
  const auto before = behind_[work] != kNoEvent ? std::optional(end_of(behind_[work]))
                                                : earlier_end(result_.tasks[work].stream);
  return blocking && before && *before > begin ? begin : until;
}

// Of every stream the last work that was launched before the call and ended before it returned.
StepRecorder::Waited StepRecorder::ended_before_return(std::uint32_t call) const {
  Waited ended;
  const Seconds returned = event(call).end() + kTolerance;
  for (std::uint16_t i = 0; i < on_stream_.size(); ++i) {
    const LaunchOrder& stream = on_stream_[i];
    const auto launched = std::ranges::upper_bound(
        stream.tasks, event(call).start, {}, [&](std::uint32_t task) { return launch_time(task); });
    const auto done = std::ranges::upper_bound(stream.latest_end, returned);
    const auto count = std::min(launched - stream.tasks.begin(), done - stream.latest_end.begin());
    if (count > 0)
      ended.tasks.push_back(stream.tasks[static_cast<std::size_t>(count - 1)]);
    else if (const auto end = earlier_end(i); end && *end <= returned)
      ended.earlier.push_back(i);
  }
  return ended;
}

/// Of what may have been waited for, what ended last within the call; with `binds` also before it.
StepRecorder::Waited StepRecorder::last_of(const Waited& waited, const KinetoEvent& call,
                                           bool binds) const {
  Waited last;
  std::optional<Seconds> latest;
  const auto is_later = [&](Seconds end) {
    const bool within = end <= call.end() + kTolerance && (binds || end > call.start);
    if (!within || (latest && end <= *latest))
      return false;
    latest = end;
    return true;
  };
  for (const std::uint32_t task : waited.tasks)
    if (is_later(end_of(task)))
      last = {.tasks = {task}, .earlier = {}};
  for (const std::uint16_t stream : waited.earlier)
    if (is_later(*earlier_end(stream)))
      last = {.tasks = {}, .earlier = {stream}};
  return last;
}

// A call that synchronises is bound by what was launched before it, even if that had ended by
// then: after a change it may not have. One for the device waits for every stream; for which
// stream or event another waits is not recorded: for the one whose work ended last.
StepRecorder::Waited StepRecorder::waited_works(std::uint32_t call) const {
  const KinetoEvent& waiting = event(call);
  const std::string& name = trace_.name_of(waiting);
  const auto own = launched_.find(call);
  if (!may_wait(name) || (own == launched_.end() && contains(name, "Memcpy")))
    return {};
  if (contains(name, "DeviceSynchronize") || contains(name, "CtxSynchronize"))
    return ended_before_return(call);
  const Waited ended = own == launched_.end() ? ended_before_return(call)
                                              : Waited{.tasks = own->second, .earlier = {}};
  return last_of(ended, waiting, contains(name, "StreamSynchronize"));
}

// Where the training thread called another one, its task ends, and its next waits for the other.
void StepRecorder::cut_at_calls(Seconds until) {
  for (; next_call_ < calls_.size() && calls_[next_call_].idle.begin < until; ++next_call_) {
    const HostBurst& call = calls_[next_call_];
    if (!call.called)
      continue;
    add_host_task(0, call.idle.begin);
    called_from_[call.idle.begin] = static_cast<std::uint32_t>(result_.tasks.size() - 1);
    if (call.waited_for())
      wait_for(returns_.at(call.idle.begin), call.busy.end);
  }
}

void StepRecorder::add_training_thread() {
  cursor_ = step_.begin;
  for (const std::uint32_t index : host_events(trace_, view_, view_.steps.thread, step_)) {
    cut_at_calls(event(index).start);
    if (event(index).kind == KinetoKind::Runtime)
      add_call(0, index);
  }
  cut_at_calls(step_.end);
  add_host_task(0, step_.end);
  for (const auto& [idle, first] : first_called_)
    if (const auto from = called_from_.find(idle); from != called_from_.end())
      result_.edges.emplace_back(from->second, first);
}

// Each stretch of work begins where the training thread became idle: it was called there.
void StepRecorder::add_other_thread(std::uint16_t thread) {
  const std::uint16_t on = stream(fmt::format("thread {}", trace_.threads[thread]));
  const auto events = host_events(trace_, view_, thread, step_);
  const auto idle = idle_spans(trace_, view_, view_.steps.thread, step_);
  auto next = events.begin();
  for (const HostBurst& burst : bursts_of(trace_, view_, thread, step_, idle)) {
    cursor_ = burst.called ? burst.idle.begin : burst.busy.begin;
    const auto first = static_cast<std::uint32_t>(result_.tasks.size());
    for (; next != events.end() && event(*next).start <= burst.busy.end; ++next)
      if (event(*next).kind == KinetoKind::Runtime)
        add_call(on, *next);
    add_host_task(on, burst.busy.end);
    if (!burst.called)
      continue;
    returns_[burst.idle.begin] = static_cast<std::uint32_t>(result_.tasks.size() - 1);
    first_called_.emplace_back(burst.idle.begin, first);
  }
}

}  // namespace stepcast
