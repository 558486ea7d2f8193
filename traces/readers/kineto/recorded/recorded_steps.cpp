#include "traces/readers/kineto/recorded/recorded_steps.hpp"

#include "traces/readers/kineto/layers/gradient_sizes.hpp"
#include "traces/readers/kineto/recorded/step_recorder.hpp"

namespace stepcast {

std::vector<RecordedStep> recorded_steps(const KinetoTrace& trace, const KinetoView& view,
                                         ImportReport& report) {
  std::vector<StepLayers> layers = find_layers(trace, view);
  size_gradients(trace, view, layers);
  std::vector<bool> has_work(view.steps.steps.size(), false);
  for (const DeviceWork& work : view.work)
    if (work.step != kNoStep && work.launch != kNoEvent)
      has_work[work.step] = true;
  std::vector<RecordedStep> steps;
  for (std::uint32_t i = 0; i < has_work.size(); ++i)
    if (has_work[i])
      steps.push_back(StepRecorder(trace, view, i, report).run(layers[i]));
  return steps;
}

}  // namespace stepcast
