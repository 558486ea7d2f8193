#include "traces/readers/kineto/layers/layer_times.hpp"

#include <map>
#include <optional>
#include <set>

#include "traces/readers/kineto/device_idle.hpp"
#include "traces/readers/kineto/layers/layer_units.hpp"
#include "traces/readers/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

using GroupSet = std::set<GroupRanks>;

constexpr std::uint32_t kNextLayer = 0xffffffff;

/// Whether the forward pass of its step launched it: before the first node of the backward graph,
/// if there was one.
bool is_launched_forward(const KinetoTrace& trace, const DeviceWork& work,
                         std::optional<Seconds> backward) {
  return !backward || trace.events[work.launch].start < *backward;
}

/// Groups of a part of the ranks that reduce in the forward pass: activations of layers that are
/// split over them, whose backward pass reduces as well.
GroupSet groups_of_activations(const KinetoTrace& trace, const KinetoView& view) {
  GroupSet groups;
  std::map<std::uint32_t, std::optional<Seconds>> backward;  // By step.
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep || work.launch == kNoEvent)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const bool reduces =
        known.kind == CollectiveKind::AllReduce || known.kind == CollectiveKind::ReduceScatter;
    const bool part =
        !known.group.empty() && trace.world_size && known.group.size() < *trace.world_size;
    if (!reduces || !part)
      continue;
    const auto [begin, added] = backward.try_emplace(work.step);
    if (added)
      begin->second = LayerUnits(trace, view, work.step).backward_begin();
    if (is_launched_forward(trace, work, begin->second))
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
                const GroupSet& of_activations, StepLayers& step) {
  constexpr Bytes kSmallest{256};  // Less is a loss, a norm or a flag.
  const KnownCollective known = collective_of(trace, work);
  if (work.launch == kNoEvent || known.size <= Bytes{} || of_activations.contains(known.group))
    return;
  const bool forward = is_launched_forward(trace, work, units.backward_begin());
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

void add_idle(const IdleTime& idle, const Place& place, StepLayers& step) {
  add_gap(idle.without_collectives(), place.time, step.layers[place.layer]);
  step.collective_waits += idle.collective;
  step.pauses += idle.pause;
}

/// Sorts the work of a step into its layers.
class LayerFinder {
 public:
  LayerFinder(const KinetoTrace& trace, const KinetoView& view)
      : trace_(trace),
        view_(view),
        idle_(find_idle(trace, view)),
        of_activations_(groups_of_activations(trace, view)) {}

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
    for (const std::uint32_t i : all) {
      const DeviceWork& work = view_.work[i];
      if (work.phase == WorkPhase::Communication) {
        step.communication += trace_.events[work.event].duration;
        add_bucket(trace_, work, units, of_activations_, step);
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
  const GroupSet of_activations_;
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
