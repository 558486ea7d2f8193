#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "traces/formats/kineto/layers/joined_layers.hpp"

namespace stepcast {
namespace {

using Layers = std::vector<LayerTimes>;

/// The layers of one turn, and where each stands in its step.
struct Pass {
  Layers layers;
  std::vector<std::size_t> places;
};

bool has_backward(const Pass& pass) {
  return std::ranges::any_of(pass.layers,
                             [](const LayerTimes& layer) { return layer.backward > Seconds{}; });
}

/// Without the first layer and the last, which belong to no pass.
std::vector<Pass> passes_of(const Layers& layers) {
  std::vector<Pass> passes;
  for (std::size_t place = 1; place < layers.size(); ++place) {
    const LayerTimes& layer = layers[place];
    if (layer.kind == kUnlaunched)
      continue;
    if (layer.turn >= passes.size())
      passes.resize(layer.turn + 1);
    passes[layer.turn].layers.push_back(layer);
    passes[layer.turn].places.push_back(place);
  }
  std::erase_if(passes, [](const Pass& pass) { return pass.layers.empty(); });
  return passes;
}

void add_times(const LayerTimes& from, LayerTimes& to) {
  to.forward += from.forward;
  to.backward += from.backward;
  to.update += from.update;
  to.reduced_behind = to.reduced_behind || from.reduced_behind;
  to.forward_messages += from.forward_messages;
  to.backward_messages += from.backward_messages;
  to.forward_gap += from.forward_gap;
  to.backward_gap += from.backward_gap;
  to.work += from.work;
  to.forward_work += from.forward_work;
  to.backward_work += from.backward_work;
}

void divide(LayerTimes& layer, std::uint32_t passes) {
  for (Seconds* time : {&layer.forward, &layer.backward, &layer.forward_messages,
                        &layer.backward_messages, &layer.forward_gap, &layer.backward_gap})
    *time = *time / passes;
  layer.forward_work /= passes;
  layer.backward_work /= passes;
}

/// Of the last pass, without those of the passes before. Returns whether there were any.
bool keep_last(std::vector<GradientBucket>& buckets,
               const std::map<std::size_t, std::uint32_t>& new_place) {
  std::vector<GradientBucket> kept;
  for (const GradientBucket& bucket : buckets)
    if (const auto found = new_place.find(bucket.layer); found != new_place.end())
      kept.push_back({found->second, bucket.size});
  const bool had_others = kept.size() < buckets.size();
  buckets = std::move(kept);
  return had_others;
}

/// Orders of gradients count those of the last pass alone.
void number_gradients(Layers& layers) {
  std::vector<std::uint32_t> orders;
  for (const LayerTimes& layer : layers)
    for (const LayerGradient& gradient : layer.gradients)
      orders.push_back(gradient.order);
  std::ranges::sort(orders);
  for (LayerTimes& layer : layers)
    for (LayerGradient& gradient : layer.gradients)
      gradient.order = static_cast<std::uint32_t>(std::ranges::lower_bound(orders, gradient.order) -
                                                  orders.begin());
}

/// What the other pass has beside the last one goes to the layer before it.
void add_pass(const Pass& other, const LayerMatches& matches, Pass& last) {
  std::size_t to = 0;
  auto match = matches.begin();
  for (std::size_t place = 0; place < other.layers.size(); ++place) {
    while (match != matches.end() && match->second < place)
      ++match;
    if (match != matches.end() && match->second == place)
      to = match->first;
    add_times(other.layers[place], last.layers[to]);
  }
}

/// Whether the turns of the step are passes of one kind. `passes` are those with a backward pass.
bool are_micro_batches(const std::vector<Pass>& passes) {
  return std::ranges::all_of(
      passes, [&](const Pass& pass) { return does_same_work(passes.back().layers, pass.layers); });
}

/// Whether the longest pass takes much longer than the shortest one.
bool are_uneven(const std::vector<Pass>& passes) {
  constexpr double kUneven = 1.1;
  std::vector<Seconds> times;
  for (const Pass& pass : passes) {
    Seconds& sum = times.emplace_back();
    for (const LayerTimes& layer : pass.layers)
      sum += layer.forward + layer.backward;
  }
  const auto [least, most] = std::ranges::minmax(times);
  return most > least * kUneven;
}

/// Whether none of the layers is of a kind that passes have in the backward pass, too: then they
/// are no forward pass of the next step.
bool is_update(const Pass& behind, const std::vector<Pass>& passes) {
  return std::ranges::none_of(behind.layers, [&](const LayerTimes& layer) {
    return std::ranges::any_of(passes, [&](const Pass& pass) {
      return std::ranges::any_of(pass.layers, [&](const LayerTimes& other) {
        return other.kind == layer.kind && other.backward > Seconds{};
      });
    });
  });
}

/// What is computed behind the last backward pass is the first layer's, see LayerTimes::update.
void update_with(const Pass& behind, std::uint32_t passes, LayerTimes& first) {
  for (const LayerTimes& layer : behind.layers) {
    first.update += layer.forward + layer.update;
    first.forward_gap += layer.forward_gap / passes;
    first.work += layer.work;
  }
}

void take_update(const Pass& behind, StepLayers& step) {
  update_with(behind, 1, step.layers.front());
  for (const std::size_t place : behind.places)
    step.layers[place] = {.name = step.layers[place].name, .kind = step.layers[place].kind};
}

/// The layers of the last pass with the mean times of all passes, between those that belong to no
/// pass. `new_place` tells where each layer of the last pass now stands.
Layers mean_layers(const StepLayers& step, std::vector<Pass> passes,
                   std::map<std::size_t, std::uint32_t>& new_place) {
  const auto count = static_cast<std::uint32_t>(passes.size());
  Pass last = std::move(passes.back());
  passes.pop_back();
  for (const Pass& pass : passes)
    if (const auto matches = matches_of(last.layers, pass.layers))
      add_pass(pass, *matches, last);
  Layers layers{step.layers.front()};
  new_place[0] = 0;
  const bool same_size = passes.front().layers.size() == last.layers.size();
  for (std::size_t i = 0; i < last.layers.size(); ++i) {
    if (same_size)  // Operators are numbered through the step.
      last.layers[i].name = passes.front().layers[i].name;
    new_place[last.places[i]] = static_cast<std::uint32_t>(layers.size());
    layers.push_back(std::move(last.layers[i]));
  }
  if (step.layers.back().kind == kUnlaunched)
    layers.push_back(step.layers.back());
  for (LayerTimes& layer : layers)
    divide(layer, count);
  number_gradients(layers);
  return layers;
}

void join_passes(StepLayers& step, const std::string& origin, ImportReport& report) {
  std::vector<Pass> passes = passes_of(step.layers);
  Pass behind;  // the last backward pass
  if (!passes.empty() && !has_backward(passes.back())) {
    behind = std::move(passes.back());
    passes.pop_back();
  }
  if (passes.size() < 2) {
    if (!passes.empty() && is_update(behind, passes))
      take_update(behind, step);
    return;
  }
  if (!std::ranges::all_of(passes, has_backward) || !are_micro_batches(passes))
    return report.doubt("step of several backward passes that do different work, taken as one pass",
                        origin);
  if (are_uneven(passes))
    report.doubt("micro-batches of different lengths, of which the mean is taken", origin);
  step.passes = static_cast<std::uint32_t>(passes.size());
  std::map<std::size_t, std::uint32_t> new_place;
  step.layers = mean_layers(step, std::move(passes), new_place);
  if (!is_update(behind, passes_of(step.layers)))
    report.doubt("forward pass behind the last backward pass, taken for a part of the update",
                 origin);
  update_with(behind, step.passes, step.layers.front());
  if (keep_last(step.buckets, new_place))
    report.doubt("gradients reduced in every micro-batch, taken as reduced once a step", origin);
  keep_last(step.late_buckets, new_place);
  keep_last(step.gathered, new_place);
}

}  // namespace

void join_passes(std::vector<StepLayers>& steps, const std::string& origin, ImportReport& report) {
  for (StepLayers& step : steps)
    join_passes(step, origin, report);
}

}  // namespace stepcast
