#include "traces/replay/recorded_step.hpp"

#include <algorithm>

namespace stepcast {

StepEnds ends_of(const RecordedStep& step) {
  if (step.whole && !step.alone)
    return {step.begin, step.begin + step.recorded};
  Seconds last = step.begin;
  for (const RecordedTask& task : step.tasks)
    if (is_of_device(task.kind))
      last = std::max(last, task.start + task.duration);
  return {last - step.recorded, last};
}

RecordedStep within_its_ends(RecordedStep step) {
  const StepEnds ends = ends_of(step);
  for (RecordedTask& task : step.tasks)
    if (is_of_device(task.kind)) {
      const Seconds end = std::clamp(task.start + task.duration, ends.begin, ends.end);
      task.start = std::clamp(task.start, ends.begin, ends.end);
      task.duration = end - task.start;
    }
  return step;
}

}  // namespace stepcast
