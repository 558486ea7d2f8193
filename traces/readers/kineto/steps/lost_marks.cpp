#include "traces/readers/kineto/steps/lost_marks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// What is between two steps, if that is one step; whether anything ran there is left open.
std::optional<KinetoStep> skipped_between(const KinetoSteps& steps, std::uint32_t before) {
  const std::uint32_t number = common_number(steps, before);
  const KinetoStep& earlier = steps.steps[before];
  const KinetoStep& later = steps.steps[before + 1];
  if (common_number(steps, before + 1) != number + 2 || later.begin <= earlier.end)
    return std::nullopt;
  return KinetoStep{.name = fmt::format("{}{}", kProfilerStep, number + 1),
                    .begin = earlier.end,
                    .end = later.begin,
                    .mark_lost = true};
}

/// When operators began, in order.
std::vector<Seconds> begins_of_operators(const KinetoTrace& trace) {
  std::vector<Seconds> begins;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Operator)
      begins.push_back(event.start);
  std::ranges::sort(begins);
  return begins;
}

bool ran_anything(const KinetoStep& step, const std::vector<Seconds>& begins) {
  const auto first = std::ranges::lower_bound(begins, step.begin);
  return first != begins.end() && *first < step.end;
}

}  // namespace

void leave_out_overlapping_steps(KinetoSteps& steps) {
  constexpr double kTolerated = 0.1;  // Of the shorter one.
  std::vector<bool> overlaps(steps.steps.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    for (std::size_t k = i + 1; k < steps.steps.size(); ++k) {
      const KinetoStep& earlier = steps.steps[i];
      const KinetoStep& later = steps.steps[k];
      if (later.begin >= earlier.end)
        break;
      const Seconds shared = std::min(earlier.end, later.end) - later.begin;
      if (shared > kTolerated * std::min(earlier.duration(), later.duration()))
        overlaps[i] = overlaps[k] = true;
    }
  std::vector<KinetoStep> kept;
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    if (!overlaps[i])
      kept.push_back(std::move(steps.steps[i]));
  steps.overlapping = steps.steps.size() - kept.size();
  steps.steps = std::move(kept);
}

void restore_lost_steps(const KinetoTrace& trace, KinetoSteps& steps) {
  std::vector<KinetoStep> skipped;
  for (std::uint32_t i = 0; i + 1 < steps.steps.size(); ++i)
    if (auto step = skipped_between(steps, i))
      skipped.push_back(*std::move(step));
  if (skipped.empty())
    return;
  const std::vector<Seconds> begins = begins_of_operators(trace);
  std::ranges::copy_if(skipped, std::back_inserter(steps.steps),
                       [&](const KinetoStep& step) { return ran_anything(step, begins); });
  std::ranges::sort(steps.steps, {}, &KinetoStep::begin);
}

}  // namespace stepcast
