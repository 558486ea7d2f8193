#include "traces/readers/kineto/layers/layer_times.hpp"

#include <map>
#include <set>

#include "traces/readers/kineto/device_idle.hpp"
#include "traces/readers/kineto/layers/layer_units.hpp"
#include "traces/readers/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

using GroupSet = std::set<GroupRanks>;

constexpr std::uint32_t kNextLayer = 0xffffffff;

/// Whether the forward pass of its step launched it: before the first node of the backward graph.
bool is_launched_forward(const KinetoTrace& trace, const DeviceWork& work,
                         const LayerUnits& units) {
  const auto backward = units.backward_begin();
  return !backward || trace.events[work.launch].start < *backward;
}

/// Groups of a part of the ranks that reduce in the forward pass: activations of layers that are
/// split over them, whose backward pass reduces as well.
GroupSet groups_of_activations(const KinetoTrace& trace, const KinetoView& view,
                               const std::vector<LayerUnits>& units) {
  GroupSet groups;
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep || work.launch == kNoEvent)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const bool reduces =
        known.kind == CollectiveKind::AllReduce || known.kind == CollectiveKind::ReduceScatter;
    const bool part =
        !known.group.empty() && trace.world_size && known.group.size() < *trace.world_size;
    if (reduces && part && is_launched_forward(trace, work, units[work.step]))
      groups.insert(known.group);
  }
  return groups;
}

using LayerTime = Seconds LayerTimes::*;

/// The update is what the optimizer does, and what the backward pass does in no node of its graph:
/// gradients are copied out of buckets. Before the first node, its seed is made.
LayerTime time_of(const KinetoTrace& trace, const KinetoView& view, const LayerUnits& units,
                  const DeviceWork& work, std::uint32_t layer) {
  if (work.phase == WorkPhase::Optimizer)
    return &LayerTimes::update;
  if (work.phase != WorkPhase::Backward)
    return &LayerTimes::forward;
  const bool in_node = view.scopes.of_event[work.launch].node != kNoEvent;
  if (layer != LayerUnits::kNoLayer || in_node || !units.backward_begin())
    return &LayerTimes::backward;
  return is_launched_forward(trace, work, units) ? &LayerTimes::forward : &LayerTimes::update;
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
  times.*place.time += duration;
}

/// Adds a collective to those that tell the sizes of gradients. Gathered parameters are those of
/// the layer that computes next, which is not known yet.
void add_bucket(const KinetoTrace& trace, const DeviceWork& work, const LayerUnits& units,
                const GroupSet& of_activations, StepLayers& step) {
  constexpr Bytes kSmallest{256};  // Less is a loss, a norm or a flag.
  const KnownCollective known = collective_of(trace, work);
  if (work.launch == kNoEvent || known.size <= Bytes{} || of_activations.contains(known.group))
    return;
  const bool forward = is_launched_forward(trace, work, units);
  const bool reduces =
      known.kind == CollectiveKind::AllReduce || known.kind == CollectiveKind::ReduceScatter;
  if (known.kind == CollectiveKind::AllGather && forward && known.size >= kSmallest)
    step.gathered.push_back({kNextLayer, known.size});
  if (!reduces)
    return;
  if (const std::uint32_t layer = units.layer_before(work.launch); layer != LayerUnits::kNoLayer)
    step.buckets.push_back({layer, known.size});
  else if (!forward && known.size >= kSmallest)
    step.late_buckets.push_back({LayerUnits::kNoLayer, known.size});
}

void place_gathered(std::uint32_t layer, StepLayers& step) {
  for (GradientBucket& bucket : step.gathered)
    if (bucket.layer == kNextLayer)
      bucket.layer = layer;
}

/// Where the time behind a step's last work goes: to the gap before its first, which it precedes in
/// the steps that follow.
struct FirstWork {
  bool found = false;
  Place place;
};

void add_idle(const IdleTime& idle, const Place& place, StepLayers& step) {
  add_gap(idle.without_collectives(), place.time, step.layers[place.layer]);
  step.collective_waits += idle.collective;
  step.pauses += idle.pause;
}

/// Sorts the work of all steps into their layers.
class LayerFinder {
 public:
  LayerFinder(const KinetoTrace& trace, const KinetoView& view)
      : trace_(trace), view_(view), idle_(find_idle(trace, view)) {}

  std::vector<StepLayers> run() {
    begin_steps();
    const GroupSet of_activations = groups_of_activations(trace_, view_, units_);
    std::vector<FirstWork> first(steps_.size());
    for (std::size_t i = 0; i < view_.work.size(); ++i) {
      const DeviceWork& work = view_.work[i];
      if (work.step == kNoStep)
        continue;
      StepLayers& step = steps_[work.step];
      if (work.phase == WorkPhase::Communication) {
        step.communication += trace_.events[work.event].duration;
        add_bucket(trace_, work, units_[work.step], of_activations, step);
        continue;
      }
      const Place place = place_of(work);
      if (work.phase == WorkPhase::Forward)
        place_gathered(place.layer, step);
      add_work(trace_.events[work.event].duration, work, place, step);
      add_idle(idle_.before[i], place, step);
      if (!first[work.step].found)
        first[work.step] = {.found = true, .place = place};
    }
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (first[i].found)
        add_idle(idle_.behind[i], first[i].place, steps_[i]);
    for (StepLayers& step : steps_)
      place_gathered(LayerUnits::kNoLayer, step);
    return std::move(steps_);
  }

 private:
  void begin_steps() {
    const std::vector<StepLoad> loads = step_loads(trace_, view_);
    steps_.resize(loads.size());
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      units_.emplace_back(trace_, view_, i);
      steps_[i].step = i;
      steps_[i].duration = view_.device_steps[i].duration();
      steps_[i].whole = view_.device_steps[i].whole;
      steps_[i].copies_alone = loads[i].copies_alone;
      steps_[i].layers = units_[i].take_layers();
      steps_[i].layers.push_back({.name = "launched-before-the-profile", .kind = kUnlaunched});
    }
  }

  Place place_of(const DeviceWork& work) {
    if (work.phase == WorkPhase::InputCopy)
      return {};
    const auto before_profile = static_cast<std::uint32_t>(steps_[work.step].layers.size() - 1);
    if (work.before_profile)
      return {.layer = before_profile};
    Place& last = last_[{work.step, trace_.events[work.event].stream}];
    if (work.launch != kNoEvent) {
      const std::uint32_t layer = units_[work.step].layer_of(work.launch, work.phase);
      last = {.layer = layer, .time = time_of(trace_, view_, units_[work.step], work, layer)};
    }
    return last;
  }

  const KinetoTrace& trace_;
  const KinetoView& view_;
  const DeviceIdle idle_;
  std::vector<StepLayers> steps_;
  std::vector<LayerUnits> units_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Place> last_;  // by step and stream
};

}  // namespace

std::vector<StepLayers> find_layers(const KinetoTrace& trace, const KinetoView& view) {
  return LayerFinder(trace, view).run();
}

}  // namespace stepcast
