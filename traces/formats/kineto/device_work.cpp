#include "traces/formats/kineto/device_work.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "traces/formats/kineto/layers/layer_units.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"

namespace stepcast {

namespace {

/// Groups of a part of the ranks that reduce in the forward pass: those share the model's layers
/// (tensor and sequence parallelism), and what they send are activations and their gradients.
/// Gradients of parameters are reduced in the backward pass alone.
std::set<GroupRanks> model_groups_of(const KinetoTrace& trace, const KinetoView& view) {
  std::set<GroupRanks> groups;
  std::map<std::uint32_t, std::optional<Seconds>> backward;  // By step.
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep || work.launch == kNoEvent)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const bool part =
        !known.group.empty() && trace.world_size && known.group.size() < *trace.world_size;
    if (!reduces(known.kind) || !part)
      continue;
    const auto [begin, added] = backward.try_emplace(work.step);
    if (added)
      begin->second = LayerUnits(trace, view, work.step).backward_begin();
    if (is_launched_forward(trace, work, begin->second))
      groups.insert(known.group);
  }
  return groups;
}

/// Says which step work without a recorded launch belongs to. Precondition: the view's work is in
/// order of its start.
///
/// Work before the first launched work of its stream was launched before the profile: it belongs to
/// no recorded step, unless the trace holds one step only, which then is the only one that it can
/// belong to. Later work belongs to the step of the launched work before it on its stream; on a
/// stream without launched work, to that of the launched work before it on any.
void place_unlaunched_work(const KinetoTrace& trace, KinetoView& view) {
  constexpr std::int32_t kAnyStream = -1;
  std::set<std::int32_t> launched_on;
  for (const DeviceWork& work : view.work)
    if (work.launch != kNoEvent)
      launched_on.insert(trace.events[work.event].stream);
  if (launched_on.empty())
    return;  // No launches were recorded at all: work lies in the step in which it began.
  std::map<std::int32_t, std::uint32_t> step_on;  // of the last launched work
  for (DeviceWork& work : view.work) {
    const std::int32_t stream = trace.events[work.event].stream;
    if (work.launch != kNoEvent) {
      step_on[stream] = step_on[kAnyStream] = work.step;
      continue;
    }
    const auto last = step_on.find(launched_on.contains(stream) ? stream : kAnyStream);
    work.before_profile = last == step_on.end();
    if (!work.before_profile)
      work.step = last->second;
    else
      work.step = view.steps.steps.size() == 1 ? 0 : kNoStep;
  }
}

// Times of the device are rounded to microseconds in older traces.
constexpr Seconds kOverlapTolerance{2e-6};

/// Correlation and event of every launch, ascending. (Of a map the memory would stay the process's
/// own.)
using Launches = std::vector<std::pair<std::int64_t, std::uint32_t>>;

Launches launches_by_correlation(const KinetoTrace& trace) {
  Launches launches;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == KinetoKind::Runtime && trace.events[i].joint >= 0)
      launches.emplace_back(trace.events[i].joint, i);
  std::ranges::sort(launches);
  return launches;
}

/// The first event of the correlation; kNoEvent: none.
std::uint32_t launch_of(const Launches& launches, std::int64_t correlation) {
  const auto found =
      std::ranges::lower_bound(launches, correlation, {}, &Launches::value_type::first);
  return found == launches.end() || found->first != correlation ? kNoEvent : found->second;
}

std::uint32_t step_at(const KinetoSteps& steps, Seconds time) {
  const auto after = std::ranges::upper_bound(steps.steps, time, {}, &KinetoStep::begin);
  if (after == steps.steps.begin() || time >= std::prev(after)->end)
    return kNoStep;
  return static_cast<std::uint32_t>(after - steps.steps.begin() - 1);
}

WorkPhase phase_of_copy(std::string_view name, WorkPhase otherwise) {
  if (name.find("HtoD") != std::string_view::npos ||
      name.find("HostToDevice") != std::string_view::npos)
    return WorkPhase::InputCopy;
  if (name.find("DtoH") != std::string_view::npos ||
      name.find("DeviceToHost") != std::string_view::npos)
    return WorkPhase::OutputCopy;
  return otherwise;
}

/// By annotation first, then by the backward graph, then by the thread.
WorkPhase phase_of_launch(const KinetoTrace& trace, const KinetoView& view, std::uint32_t launch) {
  if (launch == kNoEvent)
    return WorkPhase::Forward;
  const Scope& scope = view.scopes.around(launch);
  if (scope.mark == Mark::Optimizer)
    return WorkPhase::Optimizer;
  const bool elsewhere = trace.events[launch].thread != view.steps.thread;
  const bool backward = scope.node != kNoEvent || scope.mark == Mark::Backward || elsewhere;
  return backward ? WorkPhase::Backward : WorkPhase::Forward;
}

DeviceWork work_of(const KinetoTrace& trace, const KinetoView& view, const Launches& launches,
                   std::uint32_t index) {
  const KinetoEvent& event = trace.events[index];
  DeviceWork work{
      .event = index, .launch = launch_of(launches, event.joint), .collective = event.collective};
  work.step =
      step_at(view.steps, work.launch == kNoEvent ? event.start : trace.events[work.launch].start);
  work.phase = phase_of_launch(trace, view, work.launch);
  if (event.kind == KinetoKind::Copy)
    work.phase = phase_of_copy(trace.name_of(event), work.phase);
  if (event.kind != KinetoKind::Kernel || !is_collective_kernel(trace.name_of(event)))
    return work;
  work.phase = WorkPhase::Communication;
  if (work.collective == kNoEvent && work.launch != kNoEvent) {
    const std::uint32_t around = view.scopes.around(work.launch).collective;
    if (around != kNoEvent)
      work.collective = trace.events[around].collective;
  }
  return work;
}

std::string place_of(const KinetoTrace& trace, const KinetoEvent& event) {
  constexpr std::size_t kShown = 40;
  return fmt::format("{} at {:.6f} s", trace.name_of(event).substr(0, kShown), event.start.value);
}

/// Work is in order of its start, and so are the buckets.
void supply_buckets(const KinetoTrace& trace, std::span<const Bytes> buckets, KinetoView& view,
                    ImportReport& report) {
  std::map<std::uint32_t, std::vector<DeviceWork*>> reductions;
  for (DeviceWork& work : view.work)
    if (work.phase == WorkPhase::Communication && work.step != kNoStep &&
        reduces(collective_of(trace, work).kind))
      reductions[work.step].push_back(&work);
  for (const auto& [step, found] : reductions) {
    const std::string& place = view.steps.steps[step].name;
    if (found.size() != buckets.size()) {
      report.doubt("step with another number of reductions than the list has buckets", place);
      continue;
    }
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Bytes recorded = collective_of(trace, *found[i]).size;
      if (recorded > Bytes{} && recorded != buckets[i])
        report.doubt("reduction of another size than its bucket in the list", place);
      found[i]->supplied_size = buckets[i];
    }
  }
}

void count_doubts(const KinetoTrace& trace, const KinetoView& view, ImportReport& report) {
  if (!view.steps.marked)
    report.doubt("trace without marks of steps, taken as one step", "the trace");
  for (std::size_t i = 0; i < view.steps.overlapping; ++i)
    report.skip("step that overlaps another, as where a clock was set back",
                view.steps.steps.front().name);
  for (const KinetoStep& step : view.steps.steps)
    if (step.mark_lost)
      report.doubt("step without a mark, taken to be all between its neighbours", step.name);
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    if (work.before_profile)
      report.doubt(view.steps.steps.size() == 1
                       ? "device work launched before the profile, taken as the one step's"
                       : "device work launched before the profile, in no step",
                   place_of(trace, event));
    else if (work.launch == kNoEvent)
      report.doubt("device work without a recorded launch", place_of(trace, event));
    else if (event.start + kOverlapTolerance < trace.events[work.launch].start)
      report.doubt("device work that begins before its launch", place_of(trace, event));
    if (work.step == kNoStep && !work.before_profile)
      report.skip("device work outside of the steps", place_of(trace, event));
    if (work.phase == WorkPhase::Communication && collective_of(trace, work).size <= Bytes{})
      report.doubt("collective without a recorded size", place_of(trace, event));
  }
}

}  // namespace

KinetoView interpret(const KinetoTrace& trace, ImportReport& report,
                     std::span<const Bytes> buckets) {
  KinetoView view{.steps = find_steps(trace), .scopes = find_scopes(trace)};
  const Launches launches = launches_by_correlation(trace);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (is_device_work(trace.events[i].kind))
      view.work.push_back(work_of(trace, view, launches, i));
  std::ranges::stable_sort(view.work, {},
                           [&](const DeviceWork& w) { return trace.events[w.event].start; });
  place_unlaunched_work(trace, view);
  view.device_steps = find_device_steps(trace, view);
  if (!buckets.empty())
    supply_buckets(trace, buckets, view, report);
  count_doubts(trace, view, report);
  view.model_groups = model_groups_of(trace, view);
  return view;
}

std::vector<std::vector<std::uint32_t>> work_by_step(const KinetoView& view) {
  std::vector<std::vector<std::uint32_t>> work(view.steps.steps.size());
  for (std::uint32_t i = 0; i < view.work.size(); ++i)
    if (view.work[i].step != kNoStep)
      work[view.work[i].step].push_back(i);
  return work;
}

const char* name_of(WorkPhase phase) {
  return name_among(
      {"forward", "backward", "optimizer", "communication", "input-copy", "output-copy"}, phase);
}

KnownCollective collective_of(const KinetoTrace& trace, const DeviceWork& work) {
  KnownCollective known;
  if (work.collective != kNoEvent) {
    const KinetoCollective& noted = trace.collectives[work.collective];
    known = {.kind = collective_kind_by_argument(noted.name),
             .size = noted.size,
             .ranks = noted.ranks,
             .group = noted.group,
             .sequence = noted.sequence};
  }
  if (!known.kind)
    known.kind = collective_kind_of(trace.name_of(trace.events[work.event]));
  if (known.size <= Bytes{})
    known.size = work.supplied_size;
  return known;
}

std::optional<LaunchQueue> launch_queue(const KinetoTrace& trace, const KinetoView& view) {
  std::vector<QueuedWork> works;
  for (const DeviceWork& work : view.work)
    if (work.launch != kNoEvent) {
      const Seconds launched = trace.events[work.launch].end();
      works.push_back({launched, std::max(launched, trace.events[work.event].start)});
    }
  std::vector<std::pair<Seconds, Seconds>> steps;
  for (const DeviceStep& step : view.device_steps)
    steps.emplace_back(step.begin, step.end);
  return queue_of(std::move(works), steps);
}

}  // namespace stepcast
