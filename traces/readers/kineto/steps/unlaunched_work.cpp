#include "traces/readers/kineto/steps/unlaunched_work.hpp"

#include <map>
#include <set>

namespace stepcast {

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

}  // namespace stepcast
