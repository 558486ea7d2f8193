#include "traces/readers/kineto/layers/gradient_sizes.hpp"

#include <algorithm>

#include "traces/readers/kineto/layers/gradient_type.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kCopyOut = "copy_bucket_to_grad";

std::size_t count_of(const StepLayers& step) {
  std::size_t count = 0;
  for (const LayerTimes& layer : step.layers)
    count += layer.gradients.size();
  return count;
}

bool all_known(const StepLayers& step) {
  return count_of(step) > 0 && std::ranges::all_of(step.layers, [](const LayerTimes& layer) {
           return std::ranges::find(layer.gradients, 0U, &LayerGradient::elements) ==
                  layer.gradients.end();
         });
}

/// Work of a step that was launched inside an operator of a name like `name`, in launch order.
std::vector<const DeviceWork*> launched_in(const KinetoTrace& trace, const KinetoView& view,
                                           std::uint32_t step, std::string_view name) {
  std::vector<const DeviceWork*> found;
  for (const DeviceWork& work : view.work) {
    if (work.step != step || work.launch == kNoEvent)
      continue;
    const std::uint32_t top = view.scopes.of_event[work.launch].top_operator;
    if (top != kNoEvent && trace.name_of(trace.events[top]).find(name) != std::string::npos)
      found.push_back(&work);
  }
  std::ranges::stable_sort(found, {},
                           [&](const DeviceWork* w) { return trace.events[w->launch].start; });
  return found;
}

bool size_by_copies(const KinetoTrace& trace, const KinetoView& view, StepLayers& step) {
  const auto copies = launched_in(trace, view, step.step, kCopyOut);
  if (copies.empty() || copies.size() != count_of(step))
    return false;
  for (LayerTimes& layer : step.layers)
    for (LayerGradient& gradient : layer.gradients)
      gradient.elements = trace.events[copies[gradient.order]->event].bytes / step.element_size;
  return all_known(step);
}

void size_by_buckets(StepLayers& step) {
  for (LayerTimes& layer : step.layers)
    layer.gradients.clear();
  std::uint32_t order = 0;
  for (const GradientBucket& bucket : step.buckets)
    step.layers[bucket.layer].gradients.push_back(
        {.order = order++,
         .elements = static_cast<std::uint64_t>(bucket.size.value) / step.element_size});
}

}  // namespace

std::string size_gradients(const KinetoTrace& trace, const KinetoView& view,
                           std::vector<StepLayers>& steps) {
  const Bytes element = size_of(gradient_type_of(trace, view).type);
  for (StepLayers& step : steps)
    step.element_size = static_cast<std::uint64_t>(element.value);
  if (std::ranges::all_of(steps, all_known))
    return std::string(kRecordedShapes);
  const auto by_copies = [&](StepLayers& step) { return size_by_copies(trace, view, step); };
  if (std::ranges::all_of(steps, by_copies))
    return "copies out of the gradient buckets, in their order";
  std::ranges::for_each(steps, size_by_buckets);
  const bool any = std::ranges::any_of(steps, [](const StepLayers& s) { return count_of(s) > 0; });
  return any ? "the buckets, each as one gradient of the layer before it" : "";
}

}  // namespace stepcast
