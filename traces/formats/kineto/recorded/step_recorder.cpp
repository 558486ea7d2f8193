#include "traces/formats/kineto/recorded/step_recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {

namespace {

/// The idle stretch in which `time` lies, or null.
const HostSpan* span_at(const std::vector<HostSpan>& spans, Seconds time) {
  const auto after = std::ranges::upper_bound(spans, time, {}, &HostSpan::begin);
  if (after == spans.begin() || time > std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

}  // namespace

std::vector<std::uint32_t> host_events(const KinetoTrace& trace, const KinetoView& view,
                                       std::uint16_t thread, const KinetoStep& step) {
  const auto& order = view.scopes.by_thread[thread];
  const auto start_of = [&](std::uint32_t i) { return trace.events[i].start; };
  std::vector<std::uint32_t> found;
  for (auto at = std::ranges::lower_bound(order, step.begin, {}, start_of);
       at != order.end() && start_of(*at) < step.end; ++at) {
    const KinetoKind kind = trace.events[*at].kind;
    if (kind == KinetoKind::Operator || kind == KinetoKind::Runtime)
      found.push_back(*at);
  }
  return found;
}

std::vector<HostSpan> idle_spans(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step) {
  std::vector<HostSpan> idle;
  Seconds busy_until = step.begin;
  for (const std::uint32_t index : host_events(trace, view, thread, step)) {
    const KinetoEvent& event = trace.events[index];
    if (event.start > busy_until)
      idle.push_back({busy_until, event.start});
    busy_until = std::max(busy_until, event.end());
  }
  if (step.end > busy_until)
    idle.push_back({busy_until, step.end});
  return idle;
}

std::vector<HostBurst> bursts_of(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step,
                                 const std::vector<HostSpan>& idle) {
  std::vector<HostBurst> bursts;
  for (const std::uint32_t index : host_events(trace, view, thread, step)) {
    const KinetoEvent& event = trace.events[index];
    const HostSpan* span = span_at(idle, event.start);
    const bool same =
        !bursts.empty() &&
        (span == nullptr || (bursts.back().called && bursts.back().idle.begin == span->begin));
    if (!same)
      bursts.push_back({.busy = {event.start, event.start},
                        .idle = span == nullptr ? HostSpan{} : *span,
                        .called = span != nullptr});
    bursts.back().busy.end = std::max(bursts.back().busy.end, event.end());
  }
  return bursts;
}

namespace {

constexpr std::size_t kLabel = 60;

bool ends_within(Seconds time, const RecordedTask& task) {
  return task.start < time && time < task.start + task.duration;
}

}  // namespace

std::string device_stream_name(std::int32_t stream) {
  return fmt::format("device stream {}", stream);
}

RecordedStep StepRecorder::run(const StepLayers& layers, const std::vector<std::uint32_t>& work) {
  stream(fmt::format("thread {}", trace_.threads[view_.steps.thread]));
  add_device_work(work);
  for (const auto& [name, end] : earlier_)
    stream(name);
  order_launches();
  const auto idle = idle_spans(trace_, view_, view_.steps.thread, step_);
  for (const std::uint16_t thread : launching_threads_) {
    if (thread == view_.steps.thread)
      continue;
    for (const HostBurst& burst : bursts_of(trace_, view_, thread, step_, idle))
      calls_.push_back(burst);
    add_other_thread(thread);
  }
  std::ranges::stable_sort(calls_, {}, [](const HostBurst& b) { return b.idle.begin; });
  add_training_thread();
  add_collective_dependencies();
  mark_lost_work();
  add_gradients(layers);
  doubt_collectives_without_waiter();
  finish();
  return std::move(result_);
}

std::uint16_t StepRecorder::stream(const std::string& name) {
  const auto [at, added] =
      streams_.try_emplace(name, static_cast<std::uint16_t>(result_.streams.size()));
  if (added)
    result_.streams.push_back(name);
  return at->second;
}

/// Until when a stream worked off what was launched before the step.
std::optional<Seconds> StepRecorder::earlier_end(std::uint16_t stream) const {
  const auto found = earlier_.find(result_.streams[stream]);
  return found == earlier_.end() ? std::nullopt : std::optional(found->second);
}

void StepRecorder::add_device_work(const std::vector<std::uint32_t>& all) {
  for (const std::uint32_t i : all) {
    const DeviceWork& work = view_.work[i];
    const RecordedTask task = task_of(work);
    if (work.collective != kNoEvent && receives(trace_.collectives[work.collective].name))
      receives_.insert(static_cast<std::uint32_t>(result_.tasks.size()));
    if (work.launch == kNoEvent) {
      add_device_task(task, kNoEvent);
      continue;
    }
    const bool copies = work.phase == WorkPhase::InputCopy || work.phase == WorkPhase::OutputCopy;
    if (copies && ends_within(event(work.launch).end(), task))
      add_blocking_copy(task, work.launch);
    else
      add_device_task(task, work.launch);
  }
}

RecordedTask StepRecorder::task_of(const DeviceWork& work) {
  const KinetoEvent& done = event(work.event);
  RecordedTask task{
      .stream = stream(device_stream_name(done.stream)),
      .kind = done.kind == KinetoKind::Kernel ? RecordedKind::Kernel : RecordedKind::Copy,
      .start = done.start,
      .duration = done.duration,
      .label = trace_.name_of(done).substr(0, kLabel)};
  if (work.phase != WorkPhase::Communication)
    return task;
  const KnownCollective known = collective_of(trace_, work);
  task.kind = RecordedKind::Collective;
  task.collective = known.kind;
  task.size = known.size;
  task.ranks = known.ranks;
  task.group = known.group;
  task.gradients = known.kind == CollectiveKind::AllReduce && work.launch != kNoEvent &&
                   event(work.launch).thread != view_.steps.thread;
  return task;
}

// It goes on a little after its call has returned: that part holds nobody up.
void StepRecorder::add_blocking_copy(RecordedTask task, std::uint32_t launch) {
  const Seconds returned = event(launch).end();
  const Seconds end = task.start + task.duration;
  task.duration = returned - task.start;
  add_device_task(task, launch);
  task.start = returned;
  task.duration = end - returned;
  add_device_task(task, launch);
}

void StepRecorder::add_device_task(const RecordedTask& task, std::uint32_t launch) {
  if (launch != kNoEvent) {
    launched_[launch].push_back(static_cast<std::uint32_t>(result_.tasks.size()));
    launching_threads_.insert(event(launch).thread);
  }
  launch_of_.push_back(launch);
  const auto [last, first] = last_of_stream_.try_emplace(task.stream, kNoEvent);
  behind_.push_back(last->second);
  last->second = static_cast<std::uint32_t>(result_.tasks.size());
  result_.tasks.push_back(task);
}

// ---- gradients

std::vector<std::uint32_t> StepRecorder::gradient_nodes() const {
  std::vector<std::uint32_t> nodes;
  for (std::size_t thread = 0; thread < view_.scopes.by_thread.size(); ++thread)
    for (const std::uint32_t index :
         host_events(trace_, view_, static_cast<std::uint16_t>(thread), step_))
      if (trace_.name_of(event(index)) == "torch::autograd::AccumulateGrad") {
        const std::uint32_t around = view_.scopes.around(index).node;
        nodes.push_back(around == kNoEvent ? index : around);
      }
  return nodes;
}

// A gradient is ready after the device work that was launched last before its node ended.
void StepRecorder::add_gradients(const StepLayers& layers) {
  std::map<std::uint32_t, std::uint64_t> elements;
  for (const LayerTimes& layer : layers.layers)
    for (const LayerGradient& gradient : layer.gradients)
      elements[gradient.order] = gradient.elements;
  const auto element_size = static_cast<double>(layers.element_size);
  const auto nodes = gradient_nodes();
  if (nodes.size() != elements.size())
    return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t ready =
        last_launched(computing_[event(nodes[i]).thread], event(nodes[i]).end());
    if (ready != kNoEvent)
      result_.gradients.push_back(
          {Bytes{static_cast<double>(elements[static_cast<std::uint32_t>(i)]) * element_size},
           ready});
  }
}

// ---- the list of tasks

// In order of the recorded start, so that every dependency leads from an earlier task to a later.
void StepRecorder::finish() {
  for (const std::string& label : sort_by_start(result_))
    report_.doubt("dependency that the recorded times contradict",
                  fmt::format("{}: {}", result_.name, label));
}

}  // namespace stepcast
