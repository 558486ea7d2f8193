#include "traces/readers/kineto/launch_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stepcast {

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
