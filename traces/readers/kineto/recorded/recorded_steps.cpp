#include "traces/readers/kineto/recorded/recorded_steps.hpp"

#include <algorithm>
#include <set>

#include "traces/readers/kineto/layers/gradient_sizes.hpp"
#include "traces/readers/kineto/recorded/step_recorder.hpp"

namespace stepcast {
namespace {

/// Until when each stream worked off what was launched before step `number`, by the streams' names.
StreamEnds ends_before(const KinetoTrace& trace, const KinetoView& view, std::uint32_t number) {
  StreamEnds ends;
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    const bool before = work.step == kNoStep
                            ? event.start < view.steps.steps[number].begin || work.before_profile
                            : work.step < number;
    if (!before)
      continue;
    const auto [end, first] = ends.try_emplace(device_stream_name(event.stream), event.end());
    end->second = std::max(end->second, event.end());
  }
  return ends;
}

std::set<std::string> streams_of_earlier_collectives(const KinetoTrace& trace,
                                                     const KinetoView& view) {
  std::set<std::string> streams;
  for (const DeviceWork& work : view.work)
    if (work.before_profile && work.step == kNoStep && work.phase == WorkPhase::Communication)
      streams.insert(device_stream_name(trace.events[work.event].stream));
  return streams;
}

}  // namespace

std::vector<RecordedStep> recorded_steps(const KinetoTrace& trace, const KinetoView& view,
                                         ImportReport& report) {
  std::vector<StepLayers> layers = find_layers(trace, view);
  size_gradients(trace, view, layers);
  std::vector<bool> has_work(view.steps.steps.size(), false);
  for (const DeviceWork& work : view.work)
    if (work.step != kNoStep && work.launch != kNoEvent)
      has_work[work.step] = true;
  std::vector<RecordedStep> steps;
  StreamEnds before_first;
  std::set<std::string> unwaited = streams_of_earlier_collectives(trace, view);
  for (std::uint32_t i = 0; i < has_work.size(); ++i) {
    if (!has_work[i])
      continue;
    StreamEnds earlier = ends_before(trace, view, i);
    if (steps.empty())
      before_first = earlier;
    steps.push_back(
        StepRecorder(trace, view, i, std::move(earlier), unwaited, report).run(layers[i]));
  }
  add_delays(steps, std::move(before_first));
  return steps;
}

}  // namespace stepcast
