#include "traces/readers/kineto/steps/step_doubts.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace stepcast {
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
