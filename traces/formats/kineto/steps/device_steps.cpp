#include "traces/formats/kineto/steps/device_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "traces/formats/kineto/intervals.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

namespace {

bool computes(const DeviceWork& work) {
  return work.phase != WorkPhase::Communication && work.phase != WorkPhase::InputCopy;
}

/// The stream with the most computation in the steps.
std::int32_t main_stream(const KinetoTrace& trace, const KinetoView& view) {
  std::map<std::int32_t, Seconds> busy;
  for (const DeviceWork& work : view.work)
    if (computes(work) && work.step != kNoStep)
      busy[trace.events[work.event].stream] += trace.events[work.event].duration;
  const auto most =
      std::ranges::max_element(busy, {}, [](const auto& entry) { return entry.second; });
  return most == busy.end() ? -1 : most->first;
}

/// When a step's work began and ended.
struct Extent {
  bool any = false;
  std::size_t pieces = 0;
  Seconds first{};
  Seconds last{};                       ///< Of all streams.
  std::optional<Seconds> main_first{};  ///< When computation on the main stream began.
  std::optional<Seconds> main{};        ///< When the last of it ended.
  Seconds end() const { return main.value_or(last); }
};

std::vector<Extent> extents_of(const KinetoTrace& trace, const KinetoView& view,
                               std::int32_t main) {
  std::vector<Extent> extents(view.steps.steps.size());
  for (const DeviceWork& work : view.work) {
    if (work.step == kNoStep)
      continue;
    const KinetoEvent& event = trace.events[work.event];
    Extent& extent = extents[work.step];
    extent.first = extent.any ? std::min(extent.first, event.start) : event.start;
    extent.last = extent.any ? std::max(extent.last, event.end()) : event.end();
    extent.any = true;
    ++extent.pieces;
    if (event.stream != main || !computes(work))
      continue;
    if (!extent.main_first)
      extent.main_first = event.start;  // Work is in order of its start.
    extent.main = std::max(extent.main.value_or(event.end()), event.end());
  }
  return extents;
}

/// What no recorded step launched on the main stream: when each piece of it began, in that order,
/// and when all up to it was done.
struct Unlaunched {
  std::vector<Seconds> begins;
  std::vector<Seconds> done;

  /// When what began before a time was done; none if nothing.
  std::optional<Seconds> done_before(Seconds first) const {
    const auto later = std::ranges::lower_bound(begins, first) - begins.begin();
    return later == 0 ? std::nullopt : std::optional(done[static_cast<std::size_t>(later) - 1]);
  }
};

Unlaunched unlaunched_on(const KinetoTrace& trace, const KinetoView& view, std::int32_t main) {
  Unlaunched found;
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    if (work.step != kNoStep || event.stream != main)
      continue;
    found.begins.push_back(event.start);
    found.done.push_back(found.done.empty() ? event.end()
                                            : std::max(found.done.back(), event.end()));
  }
  return found;
}

/// Steps with less than half of the work that most have end with the trace, not with themselves.
void drop_parts(const std::vector<Extent>& extents, std::vector<DeviceStep>& steps) {
  std::vector<std::size_t> pieces;
  for (const Extent& extent : extents)
    if (extent.any)
      pieces.push_back(extent.pieces);
  std::ranges::sort(pieces);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!pieces.empty() && 2 * extents[i].pieces < pieces[pieces.size() / 2])
      steps[i].whole = false;
}

void mark_stalled(const KinetoTrace& trace, const KinetoView& view,
                  std::vector<DeviceStep>& steps) {
  const std::vector<StepLoad> loads = step_loads(trace, view);
  std::vector<StepPace> paces;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].whole)
      paces.push_back({steps[i].duration(), loads[i].computing});
  const std::vector<bool> stalled = find_stalled(paces);
  std::size_t place = 0;
  for (DeviceStep& step : steps)
    step.stalled = step.whole && stalled[place++];
}

bool in_succession(const KinetoSteps& steps, std::size_t before) {
  return steps.steps[before].end >= steps.steps[before + 1].begin;
}

}  // namespace

std::vector<DeviceStep> find_device_steps(const KinetoTrace& trace, const KinetoView& view) {
  const std::int32_t main = main_stream(trace, view);
  const std::vector<Extent> extents = extents_of(trace, view, main);
  const Unlaunched unlaunched = unlaunched_on(trace, view, main);
  std::vector<DeviceStep> steps(extents.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const KinetoStep& host = view.steps.steps[i];
    const Extent& extent = extents[i];
    steps[i] = {.begin = host.begin, .end = host.begin};
    if (!extent.any)
      continue;
    const auto follows = [&](std::size_t before) {
      return extents[before].any && extents[before + 1].any && in_succession(view.steps, before);
    };
    steps[i].end = steps[i].computed = std::max(extent.end(), host.begin);
    const auto earlier = unlaunched.done_before(extent.main_first.value_or(extent.first));
    // A kernel of the step before may be done after all of this one's: then this is no period.
    const auto begin_with_end_of_earlier = [&](Seconds end) {
      steps[i].whole = end < steps[i].end;
      if (steps[i].whole)
        steps[i].begin = end;
    };
    if (i > 0 && follows(i - 1)) {
      begin_with_end_of_earlier(steps[i - 1].end);
    } else if (earlier && *earlier > host.begin) {
      begin_with_end_of_earlier(*earlier);
    } else if (i + 1 == steps.size() || !follows(i)) {
      steps[i] = {.begin = std::min(host.begin, extent.first),
                  .end = std::max(host.end, extent.last),
                  .computed = steps[i].computed,
                  .whole = true,
                  .alone = true};
    }
  }
  drop_parts(extents, steps);
  mark_stalled(trace, view, steps);
  return steps;
}

Seconds device_period(const KinetoView& view) {
  Seconds sum{};
  double count = 0;
  for (const DeviceStep& step : view.device_steps)
    if (step.whole && !step.stalled) {
      sum += step.duration();
      ++count;
    }
  return count > 0 ? sum / count : view.steps.steps.front().duration();
}

std::vector<StepLoad> step_loads(const KinetoTrace& trace, const KinetoView& view) {
  std::vector<StepLoad> loads(view.steps.steps.size());
  std::vector<std::vector<Interval>> computing(loads.size());
  std::vector<std::vector<Interval>> copying(loads.size());
  for (const DeviceWork& work : view.work) {
    if (work.step == kNoStep || work.phase == WorkPhase::Communication)
      continue;
    const KinetoEvent& event = trace.events[work.event];
    const bool copy = work.phase == WorkPhase::InputCopy;
    (copy ? loads[work.step].copies : loads[work.step].computing) += event.duration;
    (copy ? copying : computing)[work.step].emplace_back(event.start, event.end());
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto copies = united(copying[i]);
    loads[i].copies_alone = length_of(copies) - common_length(copies, united(computing[i]));
  }
  return loads;
}

namespace {

Seconds sum_of_parts(const StepSummary& step) {
  return step.device + step.copies_alone + step.host_gaps + step.collective_waits;
}

/// Of the whole steps; negative: the parts are less than the step.
std::string doubt_of_parts(const std::vector<StepSummary>& steps) {
  const StepSummary* worst = nullptr;
  double most = kDoubtedShare;
  for (const StepSummary& step : steps) {
    if (!step.whole || step.work == 0 || step.duration <= Seconds{})
      continue;
    if (const double off = std::abs(sum_of_parts(step) / step.duration - 1); off > most) {
      most = off;
      worst = &step;
    }
  }
  if (worst == nullptr)
    return "";
  constexpr double kPercent = 100;
  return fmt::format("{}: computing, idle and exposed times add up to {}, {:.1f} % off its {}",
                     worst->name, format_seconds(sum_of_parts(*worst)), most * kPercent,
                     format_seconds(worst->duration));
}

std::string doubt_of_unlaunched(const KinetoTrace& trace, const KinetoView& view) {
  Seconds time{};
  std::size_t count = 0;
  for (const DeviceWork& work : view.work)
    if (work.before_profile && work.step != kNoStep) {
      time += trace.events[work.event].duration;
      ++count;
    }
  if (count == 0)
    return "";
  return fmt::format(
      "{} of the step are {} pieces of device work launched before the profile: the trace holds "
      "one step, and whether they belong to it is not recorded",
      format_seconds(time), count);
}

}  // namespace

std::vector<std::string> step_doubts(const KinetoTrace& trace, const KinetoView& view,
                                     const std::vector<StepSummary>& steps) {
  std::vector<std::string> doubts;
  for (std::string doubt : {doubt_of_parts(steps), doubt_of_unlaunched(trace, view)})
    if (!doubt.empty())
      doubts.push_back(std::move(doubt));
  return doubts;
}

}  // namespace stepcast
