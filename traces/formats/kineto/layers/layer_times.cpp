#include "traces/formats/kineto/layers/layer_times.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "traces/formats/kineto/device_idle.hpp"
#include "traces/formats/kineto/intervals.hpp"
#include "traces/formats/kineto/layers/layer_units.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kNextLayer = 0xffffffff;

using LayerTime = Seconds LayerTimes::*;

/// The update is what the optimizer does, and what the backward pass does in no node of its graph:
/// gradients are copied out of buckets. Before the first node, its seed is made.
LayerTime time_of(const KinetoTrace& trace, const KinetoView& view, const LayerUnits& units,
                  const DeviceWork& work, std::uint32_t layer) {
  if (work.phase == WorkPhase::Optimizer)
    return &LayerTimes::update;
  if (work.phase != WorkPhase::Backward)
    return &LayerTimes::forward;
  const bool in_node = view.scopes.around(work.launch).node != kNoEvent;
  if (layer != LayerUnits::kNoLayer || in_node || !units.backward_begin())
    return &LayerTimes::backward;
  return is_launched_forward(trace, work, units.backward_begin()) ? &LayerTimes::forward
                                                                  : &LayerTimes::update;
}

/// What the optimizer waits for precedes the next forward pass.
void add_gap(Seconds gap, LayerTime work, LayerTimes& times) {
  (work == &LayerTimes::backward ? times.backward_gap : times.forward_gap) += gap;
}

/// Where a piece of work belongs in its step.
struct Place {
  std::uint32_t layer = LayerUnits::kNoLayer;
  LayerTime time = &LayerTimes::forward;
};

void add_work(Seconds duration, const DeviceWork& work, const Place& place, StepLayers& step) {
  if (work.phase == WorkPhase::InputCopy) {
    step.input_copies += duration;
    return;
  }
  LayerTimes& times = step.layers[place.layer];
  ++times.work;
  times.forward_work += place.time == &LayerTimes::forward ? 1 : 0;
  times.backward_work += place.time == &LayerTimes::backward ? 1 : 0;
  times.*place.time += duration;
}

/// Adds a collective to those that tell the sizes of gradients. Gathered parameters are those of
/// the layer that computes next, which is not known yet.
void add_bucket(const KinetoTrace& trace, const DeviceWork& work, const LayerUnits& units,
                StepLayers& step) {
  constexpr Bytes kSmallest{256};  // Less is a loss, a norm or a flag.
  const KnownCollective known = collective_of(trace, work);
  if (work.launch == kNoEvent || known.size <= Bytes{})
    return;
  const bool forward = is_launched_forward(trace, work, units.backward_begin());
  if (known.kind == CollectiveKind::AllGather && forward && known.size >= kSmallest)
    step.gathered.push_back({kNextLayer, known.size});
  if (!reduces(known.kind))
    return;
  if (const std::uint32_t layer = units.layer_before(work.launch); layer != LayerUnits::kNoLayer) {
    step.buckets.push_back({layer, known.size});
    LayerTimes& times = step.layers[layer];
    times.reduced_behind = times.reduced_behind || times.backward_messages > Seconds{};
  } else if (!forward && known.size >= kSmallest)
    step.late_buckets.push_back({LayerUnits::kNoLayer, known.size});
}

void place_gathered(std::uint32_t layer, StepLayers& step) {
  for (GradientBucket& bucket : step.gathered)
    if (bucket.layer == kNextLayer)
      bucket.layer = layer;
}

void add_idle(const IdleTime& idle, const Place& place, StepLayers& step) {
  add_gap(idle.without_collectives(), place.time, step.layers[place.layer]);
  step.collective_waits += idle.collective;
  step.pauses += idle.pause;
}

/// Sorts the work of a step into its layers.
class LayerFinder {
 public:
  LayerFinder(const KinetoTrace& trace, const KinetoView& view)
      : trace_(trace), view_(view), idle_(find_idle(trace, view)) {}

  /// `work`: of this step, into KinetoView::work.
  StepLayers run(std::uint32_t number, const StepLoad& load,
                 const std::vector<std::uint32_t>& work) const {
    LayerUnits units(trace_, view_, number);
    StepLayers step{.step = number,
                    .duration = view_.device_steps[number].duration(),
                    .whole = view_.device_steps[number].whole,
                    .stalled = view_.device_steps[number].stalled,
                    .layers = units.take_layers(),
                    .copies_alone = load.copies_alone};
    step.layers.push_back({.name = "launched-before-the-profile", .kind = kUnlaunched});
    step.layers.shrink_to_fit();  // Of all steps together much would be free.
    fill(units, work, step);
    return step;
  }

 private:
  using LastPlaces = std::map<std::int32_t, Place>;  // By stream.

  // The time behind the last work goes to the gap before the first, which it precedes in the steps
  // that follow.
  void fill(const LayerUnits& units, const std::vector<std::uint32_t>& all,
            StepLayers& step) const {
    LastPlaces last;
    std::optional<Place> first;
    const std::vector<Interval> computing = computing_in(all);
    for (const std::uint32_t i : all) {
      const DeviceWork& work = view_.work[i];
      if (work.phase == WorkPhase::Communication) {
        step.communication += trace_.events[work.event].duration;
        if (view_.model_groups.contains(collective_of(trace_, work).group))
          add_message(work, units, computing, step);
        else
          add_bucket(trace_, work, units, step);
        continue;
      }
      const Place place = place_of(work, units, step, last);
      if (work.phase == WorkPhase::Forward)
        place_gathered(place.layer, step);
      add_work(trace_.events[work.event].duration, work, place, step);
      add_idle(idle_.before[i], place, step);
      if (!first)
        first = place;
    }
    if (first)
      add_idle(idle_.behind[step.step], *first, step);
    place_gathered(LayerUnits::kNoLayer, step);
    for (const LayerTimes& layer : step.layers)
      step.collective_waits =
          step.collective_waits - layer.forward_messages - layer.backward_messages;
    step.collective_waits = std::max(Seconds{}, step.collective_waits);
  }

  std::vector<Interval> computing_in(const std::vector<std::uint32_t>& all) const {
    std::vector<Interval> intervals;
    for (const std::uint32_t i : all)
      if (view_.work[i].phase != WorkPhase::Communication) {
        const KinetoEvent& event = trace_.events[view_.work[i].event];
        intervals.emplace_back(event.start, event.end());
      }
    std::ranges::sort(intervals);
    return united(intervals);
  }

  // Ranks that share the model wait for each other within its layers: what no compute hides of
  // that is time of the layer.
  void add_message(const DeviceWork& work, const LayerUnits& units,
                   const std::vector<Interval>& computing, StepLayers& step) const {
    const KinetoEvent& event = trace_.events[work.event];
    const Seconds exposed = event.duration - covered_length(computing, {event.start, event.end()});
    step.model_group = std::max(step.model_group, collective_of(trace_, work).ranks);
    if (work.launch == kNoEvent) {
      step.layers[LayerUnits::kNoLayer].forward_messages += exposed;
      return;
    }
    if (view_.scopes.around(work.launch).node == kNoEvent &&
        trace_.events[work.launch].thread == view_.steps.thread)
      step.layers[units.layer_of(work.launch, WorkPhase::Forward)].forward_messages += exposed;
    else
      step.layers[units.layer_before(work.launch)].backward_messages += exposed;
  }

  Place place_of(const DeviceWork& work, const LayerUnits& units, const StepLayers& step,
                 LastPlaces& last) const {
    if (work.phase == WorkPhase::InputCopy)
      return {};
    if (work.before_profile)
      return {.layer = static_cast<std::uint32_t>(step.layers.size() - 1)};
    Place& place = last[trace_.events[work.event].stream];
    if (work.launch != kNoEvent) {
      const std::uint32_t layer = units.layer_of(work.launch, work.phase);
      place = {.layer = layer, .time = time_of(trace_, view_, units, work, layer)};
    }
    return place;
  }

  const KinetoTrace& trace_;
  const KinetoView& view_;
  const DeviceIdle idle_;
};

}  // namespace

std::vector<StepLayers> find_layers(const KinetoTrace& trace, const KinetoView& view) {
  const std::vector<StepLoad> loads = step_loads(trace, view);
  const auto work = work_by_step(view);
  const LayerFinder finder(trace, view);
  std::vector<StepLayers> steps;
  for (std::uint32_t i = 0; i < loads.size(); ++i)
    steps.push_back(finder.run(i, loads[i], work[i]));
  return steps;
}

}  // namespace stepcast
