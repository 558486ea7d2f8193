#include "traces/readers/kineto/average_step.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace stepcast {
namespace {

bool is_empty(const LayerTimes& layer) {
  return layer.work == 0 && layer.gradients.empty() && layer.forward_gap <= Seconds{};
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

/// Names of the layers and the number of gradients of each: what makes two steps alike.
std::string signature_of(const StepLayers& step) {
  std::string signature;
  for (const LayerTimes& layer : step.layers)
    signature += fmt::format("{} {}\n", layer.name, layer.gradients.size());
  return signature;
}

std::string most_common_signature(const std::vector<StepLayers>& steps) {
  std::map<std::string, std::size_t> counts;
  for (const StepLayers& step : steps)
    ++counts[signature_of(step)];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

Seconds device_time(const StepLayers& step) {
  Seconds sum{};
  for (const LayerTimes& layer : step.layers)
    sum += layer.forward + layer.backward;
  return sum;
}

void add(const StepLayers& step, AverageStep& sum) {
  for (std::size_t i = 0; i < sum.layers.size(); ++i) {
    const LayerTimes& layer = step.layers[i];
    sum.layers[i].forward += layer.forward;
    sum.layers[i].backward += layer.backward;
    sum.layers[i].forward_gap += layer.forward_gap;
    sum.layers[i].backward_gap += layer.backward_gap;
  }
  const Seconds time = device_time(step);
  sum.smallest = sum.steps == 0 ? time : std::min(sum.smallest, time);
  sum.largest = std::max(sum.largest, time);
  sum.mean += time;
  sum.input_copies += step.input_copies;
  ++sum.steps;
}

void divide(AverageStep& sum) {
  const double count = sum.steps;
  sum.mean = sum.mean / count;
  sum.input_copies = sum.input_copies / count;
  for (LayerTimes& layer : sum.layers) {
    layer.forward = layer.forward / count;
    layer.backward = layer.backward / count;
    layer.forward_gap = layer.forward_gap / count;
    layer.backward_gap = layer.backward_gap / count;
  }
}

}  // namespace

AverageStep average(std::vector<StepLayers> steps, ImportReport& report) {
  AverageStep result;
  for (StepLayers& step : steps)
    std::erase_if(step.layers, is_empty);
  drop_idle_steps(steps, report);
  if (steps.empty())
    return result;
  const std::string wanted = most_common_signature(steps);
  for (const StepLayers& step : steps) {
    if (signature_of(step) != wanted) {
      report.skip("step with other layers than most", fmt::format("step {}", step.step));
      continue;
    }
    if (result.steps == 0) {
      result.layers = step.layers;
      for (LayerTimes& layer : result.layers)
        layer.forward = layer.backward = layer.forward_gap = layer.backward_gap = Seconds{};
    }
    add(step, result);
  }
  divide(result);
  return result;
}

}  // namespace stepcast
