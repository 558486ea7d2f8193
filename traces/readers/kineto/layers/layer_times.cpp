#include "traces/readers/kineto/layers/layer_times.hpp"

#include <set>

#include "traces/readers/kineto/device_idle.hpp"
#include "traces/readers/kineto/layers/layer_units.hpp"

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
  const GroupSet of_activations = groups_of_activations(trace, view, units);
  std::vector<FirstWork> first(steps.size());
  for (std::size_t i = 0; i < view.work.size(); ++i) {
    const DeviceWork& work = view.work[i];
    if (work.step == kNoStep)
      continue;
    StepLayers& step = steps[work.step];
    if (work.phase == WorkPhase::Communication) {
      step.communication += trace.events[work.event].duration;
      add_bucket(trace, work, units[work.step], of_activations, step);
      continue;
    }
    const std::uint32_t layer = work.phase == WorkPhase::InputCopy
                                    ? LayerUnits::kOptimizer
                                    : units[work.step].layer_of(work.launch, work.phase);
    if (work.phase == WorkPhase::Forward)
      place_gathered(layer, step);
    add_work(trace, work, layer, step);
    add_idle(idle.before[i], layer, is_forward(work.phase, layer), step);
    note_first(layer, work.phase, first[work.step]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (first[i].found)
      add_idle(idle.behind[i], first[i].layer, first[i].forward, steps[i]);
  for (StepLayers& step : steps)
    place_gathered(LayerUnits::kOptimizer, step);
  return steps;
}

}  // namespace stepcast
