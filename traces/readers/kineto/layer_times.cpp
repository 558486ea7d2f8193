#include "traces/readers/kineto/layer_times.hpp"

#include <algorithm>

#include "traces/readers/kineto/layer_units.hpp"

namespace stepcast {
namespace {

/// Time for which the device had nothing to do because the host had not yet launched the work.
Seconds host_gap(const KinetoTrace& trace, const DeviceWork& work, Seconds idle_since) {
  if (work.launch == kNoEvent)
    return {};
  const KinetoEvent& event = trace.events[work.event];
  const Seconds launched = std::min(event.start, trace.events[work.launch].end());
  return std::max(Seconds{}, launched - idle_since);
}

void add_work(const KinetoTrace& trace, const DeviceWork& work, std::uint32_t layer, Seconds gap,
              StepLayers& step) {
  const Seconds duration = trace.events[work.event].duration;
  LayerTimes& times = step.layers[layer];
  if (work.phase != WorkPhase::InputCopy)
    ++times.work;
  switch (work.phase) {
    case WorkPhase::Forward:
    case WorkPhase::Optimizer:
      times.forward += duration;
      times.forward_gap += gap;
      return;
    case WorkPhase::Backward:
      (layer == LayerUnits::kOptimizer ? times.forward : times.backward) += duration;
      (layer == LayerUnits::kOptimizer ? times.forward_gap : times.backward_gap) += gap;
      return;
    case WorkPhase::InputCopy:
      step.input_copies += duration;  // Between two steps, as the optimizer is.
      step.layers[LayerUnits::kOptimizer].forward_gap += gap;
      return;
    case WorkPhase::OutputCopy:
      times.forward += duration;
      times.forward_gap += gap;
      return;
    case WorkPhase::Communication:
      return;
  }
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

}  // namespace

std::vector<StepLayers> find_layers(const KinetoTrace& trace, const KinetoView& view) {
  std::vector<StepLayers> steps(view.steps.steps.size());
  std::vector<LayerUnits> units;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    units.emplace_back(trace, view, i);
    steps[i].step = i;
    steps[i].layers = units[i].take_layers();
  }
  Seconds idle_since = view.steps.steps.front().begin;
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    if (work.step == kNoStep) {
      idle_since = std::max(idle_since, event.end());
      continue;
    }
    StepLayers& step = steps[work.step];
    if (work.phase == WorkPhase::Communication) {
      step.communication += event.duration;
      add_bucket(trace, work, units[work.step], step);
      continue;
    }
    add_work(trace, work, units[work.step].layer_of(work.launch, work.phase),
             host_gap(trace, work, idle_since), step);
    idle_since = std::max(idle_since, event.end());
  }
  return steps;
}

}  // namespace stepcast
