#include "traces/formats/kineto/recorded/recorded_steps.hpp"

#include <algorithm>
#include <set>

#include "traces/formats/kineto/layers/gradient_sizes.hpp"
#include "traces/formats/kineto/recorded/step_recorder.hpp"

namespace stepcast {
namespace {

/// Until when each stream worked off what was launched before a step, by the streams' names. Asked
/// for step by step, so that it looks at each piece of work once.
class EarlierEnds {
 public:
  EarlierEnds(const KinetoTrace& trace, const KinetoView& view) : trace_(trace), view_(view) {
    for (const DeviceWork& work : view.work)
      if (work.step == kNoStep && work.before_profile)
        add(work);
      else if (work.step == kNoStep)
        outside_.push_back(&work);
  }

  void add_outside_before(Seconds begin) {
    for (; next_ < outside_.size() && trace_.events[outside_[next_]->event].start < begin; ++next_)
      add(*outside_[next_]);
  }

  void add_step(const std::vector<std::uint32_t>& work) {
    for (const std::uint32_t i : work)
      add(view_.work[i]);
  }

  const StreamEnds& ends() const { return ends_; }

 private:
  void add(const DeviceWork& work) {
    const KinetoEvent& event = trace_.events[work.event];
    const auto [end, first] = ends_.try_emplace(device_stream_name(event.stream), event.end());
    end->second = std::max(end->second, event.end());
  }

  const KinetoTrace& trace_;
  const KinetoView& view_;
  std::vector<const DeviceWork*> outside_;  // Of the steps, in order of its start.
  std::size_t next_ = 0;
  StreamEnds ends_;
};

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
  const auto work = work_by_step(view);
  const auto is_launched = [&](std::uint32_t i) { return view.work[i].launch != kNoEvent; };
  std::vector<RecordedStep> steps;
  EarlierEnds earlier(trace, view);
  StreamEnds before_first;
  std::set<std::string> unwaited = streams_of_earlier_collectives(trace, view);
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    earlier.add_outside_before(view.steps.steps[i].begin);
    if (std::ranges::any_of(work[i], is_launched)) {
      if (steps.empty())
        before_first = earlier.ends();
      steps.push_back(
          StepRecorder(trace, view, i, earlier.ends(), unwaited, report).run(layers[i], work[i]));
    }
    earlier.add_step(work[i]);
  }
  add_delays(steps, std::move(before_first));
  return steps;
}

}  // namespace stepcast
