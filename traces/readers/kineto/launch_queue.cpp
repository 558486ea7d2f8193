#include "traces/readers/kineto/launch_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stepcast {
namespace {

/// From the launch to the begin of a piece of work.
using Queued = std::pair<Seconds, Seconds>;

std::vector<Queued> queued_work(const KinetoTrace& trace, const KinetoView& view) {
  std::vector<Queued> queued;
  for (const DeviceWork& work : view.work)
    if (work.launch != kNoEvent) {
      const Seconds launched = trace.events[work.launch].end();
      queued.emplace_back(launched, std::max(launched, trace.events[work.event].start));
    }
  std::ranges::sort(queued);
  return queued;
}

/// Adds up what is queued in a step.
class QueueSums {
 public:
  void add_step(const DeviceStep& step, const std::vector<Queued>& queued) {
    Seconds covered = step.begin;
    for (const auto& [launched, begun] : queued) {
      if (launched >= step.end)
        break;
      const Seconds from = std::max(launched, step.begin);
      const Seconds to = std::min(begun, step.end);
      if (to <= from)
        continue;
      waited_ += to - from;
      busy_ += std::max(Seconds{}, to - std::max(from, covered));
      covered = std::max(covered, to);
    }
    time_ += step.duration();
  }

  std::optional<LaunchQueue> mean() const {
    if (!(time_ > Seconds{}))
      return std::nullopt;
    return LaunchQueue{.length = waited_ / time_, .empty = std::max(0.0, 1 - busy_ / time_)};
  }

 private:
  Seconds time_{};
  Seconds waited_{};  // Of all work together.
  Seconds busy_{};    // In which any waits.
};

}  // namespace

std::optional<LaunchQueue> launch_queue(const KinetoTrace& trace, const KinetoView& view) {
  const std::vector<Queued> queued = queued_work(trace, view);
  if (queued.empty())
    return std::nullopt;
  QueueSums sums;
  for (const DeviceStep& step : view.device_steps)
    sums.add_step(step, queued);
  return sums.mean();
}

}  // namespace stepcast
