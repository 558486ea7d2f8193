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

/// Whether the work runs in the forward direction: what the optimizer does precedes the next pass.
bool is_forward(WorkPhase phase, std::uint32_t layer) {
  return phase != WorkPhase::Backward || layer == LayerUnits::kOptimizer;
}

void add_gap(Seconds gap, bool forward, LayerTimes& times) {
  (forward ? times.forward_gap : times.backward_gap) += gap;
}

/// Where a piece of work belongs in its step.
struct Place {
  std::uint32_t layer = LayerUnits::kOptimizer;
  bool forward = true;
};

void add_work(Seconds duration, const DeviceWork& work, const Place& place, StepLayers& step) {
  if (work.phase == WorkPhase::InputCopy) {
    step.input_copies += duration;
    return;
  }
  LayerTimes& times = step.layers[place.layer];
  ++times.work;
  (place.forward ? times.forward : times.backward) += duration;
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
  if (const std::uint32_t layer = units.layer_before(work.launch); layer != LayerUnits::kOptimizer)
    step.buckets.push_back({layer, known.size});
  else if (!forward && known.size >= kSmallest)
    step.late_buckets.push_back({LayerUnits::kOptimizer, known.size});
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

void add_idle(const IdleTime& idle, std::uint32_t layer, bool forward, StepLayers& step) {
  add_gap(idle.without_collectives(), forward, step.layers[layer]);
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
      add_idle(idle_.before[i], place.layer, place.forward, step);
      if (!first[work.step].found)
        first[work.step] = {.found = true, .place = place};
    }
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (first[i].found)
        add_idle(idle_.behind[i], first[i].place.layer, first[i].place.forward, steps_[i]);
    for (StepLayers& step : steps_)
      place_gathered(LayerUnits::kOptimizer, step);
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
      last = {.layer = layer, .forward = is_forward(work.phase, layer)};
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
