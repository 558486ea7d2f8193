#include "traces/formats/kineto/layers/average_step.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "traces/formats/kineto/layers/joined_layers.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

constexpr double kWarmUp = 2;      // Times the median step.
constexpr double kNoticed = 0.01;  // Share of the computation that a layer is noticed from.

bool is_empty(const LayerTimes& layer) {
  return layer.work == 0 && layer.gradients.empty() &&
         layer.forward_gap + layer.forward_messages + layer.backward_messages <= Seconds{};
}

/// Traces may begin before the first step does or end within the last.
void drop_idle_steps(std::vector<StepLayers>& steps, ImportReport& report) {
  const auto is_idle = [&](const StepLayers& step) {
    const bool idle = std::ranges::all_of(step.layers, is_empty);
    if (idle)
      report.skip("step without work on the device", fmt::format("step {}", step.step));
    return idle;
  };
  std::erase_if(steps, is_idle);
}

/// Times of passes are averaged over steps of as many.
void keep_usual_passes(std::vector<StepLayers>& steps, ImportReport& report) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const StepLayers& step : steps)
    ++counts[step.passes];
  if (counts.size() < 2)
    return;
  const std::uint32_t usual =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
  std::erase_if(steps, [&](const StepLayers& step) {
    if (step.passes == usual)
      return false;
    report.skip("step of another number of passes than most", fmt::format("step {}", step.step));
    return true;
  });
}

/// The first layer, of what is in none, has the gap before copies of input too: it goes from all
/// or none.
void drop_empty_layers(std::vector<StepLayers>& steps) {
  const bool no_first = std::ranges::all_of(
      steps, [](const StepLayers& step) { return is_empty(step.layers.front()); });
  for (StepLayers& step : steps) {
    const auto rest = std::remove_if(step.layers.begin() + 1, step.layers.end(), is_empty);
    step.layers.erase(rest, step.layers.end());
    if (no_first)
      step.layers.erase(step.layers.begin());
  }
}

/// The first steps of a rank, as long as they are far longer than most.
void drop_warm_up(std::vector<StepLayers>& steps, ImportReport& report) {
  std::vector<Seconds> durations(steps.size());
  std::ranges::transform(steps, durations.begin(), &StepLayers::duration);
  std::ranges::sort(durations);
  const Seconds median = durations[(durations.size() - 1) / 2];
  std::vector<StepLayers> kept;
  bool warm = false;
  std::uint32_t last = kNoStep;
  for (StepLayers& step : steps) {
    const bool next_rank = step.step <= last;
    last = step.step;
    warm = (warm && !next_rank) || step.duration <= median * kWarmUp;
    if (warm)
      kept.push_back(std::move(step));
    else
      report.skip("first step of more than twice the median time, as of a warm-up",
                  fmt::format("step {}", step.step));
  }
  steps = std::move(kept);
}

/// Some of the steps.
using Chosen = std::vector<const StepLayers*>;

Seconds device_time(const StepLayers& step) {
  Seconds sum{};
  for (const LayerTimes& layer : step.layers)
    sum += (layer.forward + layer.backward) * step.passes + layer.update;
  return sum;
}

/// Of one quantity of every step.
template <typename Quantity>
Spread spread_over(const Chosen& steps, Quantity quantity) {
  std::vector<Seconds> times(steps.size());
  std::ranges::transform(steps, times.begin(),
                         [&](const StepLayers* step) { return quantity(*step); });
  return spread_of(std::move(times));
}

/// Notes how far the steps of one direction of a layer lie apart.
void note_ratio(const std::string& name, const Spread& spread, AverageStep& result,
                std::vector<double>& ratios) {
  if (spread.mean <= Seconds{})
    return;
  const double ratio = spread.deviation / spread.mean;
  ratios.push_back(ratio);
  if (spread.mean >= result.computation.mean * kNoticed && ratio > result.most_uneven.ratio)
    result.most_uneven = {.name = name, .ratio = ratio};
}

void average_layer(const Chosen& steps, const Chosen& whole, std::size_t at, AverageStep& result,
                   std::vector<double>& ratios) {
  LayerTimes& layer = result.layers[at];
  const auto over = [&](Seconds LayerTimes::*time) {
    return spread_over(steps, [&](const StepLayers& step) { return step.layers[at].*time; });
  };
  const Spread forward = over(&LayerTimes::forward);
  const Spread backward = over(&LayerTimes::backward);
  const Spread update = over(&LayerTimes::update);
  layer.forward = forward.mean;
  layer.backward = backward.mean;
  layer.update = update.mean;
  const auto gap = [&](Seconds LayerTimes::*time) {
    return spread_over(whole, [&](const StepLayers& step) { return step.layers[at].*time; }).mean;
  };
  layer.forward_messages = gap(&LayerTimes::forward_messages);
  layer.backward_messages = gap(&LayerTimes::backward_messages);
  layer.forward_gap = gap(&LayerTimes::forward_gap);
  layer.backward_gap = gap(&LayerTimes::backward_gap);
  note_ratio(layer.name + " forward", forward, result, ratios);
  note_ratio(layer.name + " backward", backward, result, ratios);
  note_ratio("update", update, result, ratios);
}

/// Those whose duration is a period, and the usual one; all if there is none.
Chosen usual_of(const Chosen& steps) {
  Chosen usual;
  std::ranges::copy_if(steps, std::back_inserter(usual),
                       [](const StepLayers* step) { return step->whole && !step->stalled; });
  return usual.empty() ? steps : usual;
}

RecordedPace pace_of_whole(const std::vector<StepLayers>& steps) {
  std::vector<Seconds> lengths;
  std::vector<bool> stalled;
  for (const StepLayers& step : steps)
    if (step.whole) {
      lengths.push_back(step.duration);
      stalled.push_back(step.stalled);
    }
  return pace_of(lengths, stalled);
}

/// How far layers, gaps, waits and copies are from making up a step, as a share of it.
double unaccounted(const StepLayers& step) {
  Seconds sum = step.collective_waits + step.copies_alone;
  for (const LayerTimes& layer : step.layers)
    sum += (layer.forward + layer.backward + layer.forward_messages + layer.backward_messages +
            layer.forward_gap + layer.backward_gap) *
               step.passes +
           layer.update;
  return step.duration > Seconds{} ? std::abs(sum / step.duration - 1) : 0;
}

/// Precondition: not empty, all with the same layers.
AverageStep average_of(const Chosen& steps) {
  const Chosen whole = usual_of(steps);
  AverageStep result{.layers = steps.front()->layers,
                     .steps = static_cast<std::uint32_t>(steps.size()),
                     .passes = steps.front()->passes,
                     .model_group = steps.front()->model_group,
                     .duration = spread_over(whole, [](const auto& s) { return s.duration; }),
                     .computation = spread_over(steps, device_time)};
  for (const GradientBucket& bucket : steps.back()->buckets)
    result.buckets.push_back(bucket.size);
  const auto mean = [&](Seconds StepLayers::*time) {
    return spread_over(whole, [&](const StepLayers& step) { return step.*time; }).mean;
  };
  result.input_copies = mean(&StepLayers::input_copies);
  result.copies_alone = mean(&StepLayers::copies_alone);
  result.collective_waits = mean(&StepLayers::collective_waits);
  result.pauses = mean(&StepLayers::pauses);
  for (const StepLayers* step : whole)
    if (step->whole)
      result.unaccounted = std::max(result.unaccounted, unaccounted(*step));
  std::vector<double> ratios;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    average_layer(steps, whole, i, result, ratios);
  std::ranges::sort(ratios);
  result.median_ratio = ratios.empty() ? 0 : ratios[ratios.size() / 2];
  return result;
}

}  // namespace

AverageStep average(std::vector<StepLayers> steps, ImportReport& report) {
  drop_idle_steps(steps, report);
  keep_usual_passes(steps, report);
  if (steps.empty())
    return {};
  const RecordedPace pace = pace_of_whole(steps);
  drop_empty_layers(steps);
  join_layers(steps, report);
  drop_warm_up(steps, report);
  for (const StepLayers& step : steps)
    if (step.whole && unaccounted(step) > kDoubtedShare)
      report.doubt("step that its layers, gaps and waits do not add up to",
                   fmt::format("step {}", step.step));
  Chosen all;
  for (const StepLayers& step : steps)
    all.push_back(&step);
  AverageStep step = average_of(all);
  step.pace = pace;
  return step;
}

}  // namespace stepcast
