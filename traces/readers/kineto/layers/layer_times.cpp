#include "traces/readers/kineto/layers/layer_times.hpp"

#include "traces/readers/kineto/device_idle.hpp"
#include "traces/readers/kineto/layers/layer_units.hpp"

namespace stepcast {
namespace {

/// Whether the work runs in the forward direction: what the optimizer does precedes the next pass.
bool is_forward(WorkPhase phase, std::uint32_t layer) {
  return phase != WorkPhase::Backward || layer == LayerUnits::kOptimizer;
}

void add_gap(Seconds gap, bool forward, LayerTimes& times) {
  (forward ? times.forward_gap : times.backward_gap) += gap;
}

void add_work(const KinetoTrace& trace, const DeviceWork& work, std::uint32_t layer,
              StepLayers& step) {
  const Seconds duration = trace.events[work.event].duration;
  LayerTimes& times = step.layers[layer];
  const bool forward = is_forward(work.phase, layer);
  if (work.phase == WorkPhase::InputCopy) {
    step.input_copies += duration;
    return;
  }
  ++times.work;
  (forward ? times.forward : times.backward) += duration;
}

void add_bucket(const KinetoTrace& trace, const DeviceWork& work, const LayerUnits& units,
                StepLayers& step) {
  const KnownCollective known = collective_of(trace, work);
  const bool reduces =
      known.kind == CollectiveKind::AllReduce || known.kind == CollectiveKind::ReduceScatter;
  if (work.launch == kNoEvent || !reduces || known.size <= Bytes{})
    return;
  if (const std::uint32_t layer = units.layer_before(work.launch); layer != LayerUnits::kOptimizer)
    step.buckets.push_back({layer, known.size});
}

/// Where the time behind a step's last work goes: to the gap before its first, which it precedes in
/// the steps that follow.
struct FirstWork {
  bool found = false;
  std::uint32_t layer = LayerUnits::kOptimizer;
  bool forward = true;
};

void note_first(std::uint32_t layer, WorkPhase phase, FirstWork& first) {
  if (!first.found)
    first = {.found = true, .layer = layer, .forward = is_forward(phase, layer)};
}

void add_idle(const IdleTime& idle, std::uint32_t layer, bool forward, StepLayers& step) {
  add_gap(idle.without_collectives(), forward, step.layers[layer]);
  step.collective_waits += idle.collective;
  step.pauses += idle.pause;
}

}  // namespace

std::vector<StepLayers> find_layers(const KinetoTrace& trace, const KinetoView& view) {
  const DeviceIdle idle = find_idle(trace, view);
  std::vector<StepLayers> steps(view.steps.steps.size());
  std::vector<LayerUnits> units;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    units.emplace_back(trace, view, i);
    steps[i].step = i;
    steps[i].duration = view.steps.steps[i].duration();
    steps[i].layers = units[i].take_layers();
  }
  std::vector<FirstWork> first(steps.size());
  for (std::size_t i = 0; i < view.work.size(); ++i) {
    const DeviceWork& work = view.work[i];
    if (work.step == kNoStep)
      continue;
    StepLayers& step = steps[work.step];
    if (work.phase == WorkPhase::Communication) {
      step.communication += trace.events[work.event].duration;
      add_bucket(trace, work, units[work.step], step);
      continue;
    }
    const std::uint32_t layer = work.phase == WorkPhase::InputCopy
                                    ? LayerUnits::kOptimizer
                                    : units[work.step].layer_of(work.launch, work.phase);
    add_work(trace, work, layer, step);
    add_idle(idle.before[i], layer, is_forward(work.phase, layer), step);
    note_first(layer, work.phase, first[work.step]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (first[i].found)
      add_idle(idle.behind[i], first[i].layer, first[i].forward, steps[i]);
  return steps;
}

}  // namespace stepcast
