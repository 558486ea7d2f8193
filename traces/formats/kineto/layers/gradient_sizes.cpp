#include "traces/formats/kineto/layers/gradient_sizes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

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

/// Of work (into KinetoView::work) what was launched inside an operator of a name like `name`, in
/// launch order.
std::vector<const DeviceWork*> launched_in(const KinetoTrace& trace, const KinetoView& view,
                                           const std::vector<std::uint32_t>& all,
                                           std::string_view name) {
  std::vector<const DeviceWork*> found;
  for (const std::uint32_t i : all) {
    const DeviceWork& work = view.work[i];
    if (work.launch == kNoEvent)
      continue;
    const std::uint32_t top = view.scopes.around(work.launch).top_operator;
    if (top != kNoEvent && trace.name_of(trace.events[top]).find(name) != std::string::npos)
      found.push_back(&work);
  }
  std::ranges::stable_sort(found, {},
                           [&](const DeviceWork* w) { return trace.events[w->launch].start; });
  return found;
}

bool size_by_copies(const KinetoTrace& trace, const KinetoView& view,
                    const std::vector<std::uint32_t>& work, StepLayers& step) {
  const auto copies = launched_in(trace, view, work, kCopyOut);
  if (copies.empty() || copies.size() != count_of(step))
    return false;
  for (LayerTimes& layer : step.layers)
    for (LayerGradient& gradient : layer.gradients)
      gradient.elements = trace.events[copies[gradient.order]->event].amount / step.element_size;
  return all_known(step);
}

using Buckets = std::vector<GradientBucket> StepLayers::*;

void size_by_buckets(StepLayers& step, Buckets buckets) {
  for (LayerTimes& layer : step.layers)
    layer.gradients.clear();
  std::uint32_t order = 0;
  for (const GradientBucket& bucket : step.*buckets)
    step.layers[bucket.layer].gradients.push_back(
        {.order = order++,
         .elements = static_cast<std::uint64_t>(bucket.size.value) / step.element_size});
}

/// A rank of FullyShardedDataParallel keeps a shard of each gradient, whose shape is recorded.
bool are_shards(const StepLayers& step) {
  constexpr double kPadding = 1.05;  // What is reduced may be padded to equal parts.
  Bytes reduced{};
  for (const GradientBucket& bucket : step.buckets)
    reduced += bucket.size;
  std::uint64_t elements = 0;
  for (const LayerTimes& layer : step.layers)
    for (const LayerGradient& gradient : layer.gradients)
      elements += gradient.elements;
  return elements > 0 &&
         reduced.value > kPadding * static_cast<double>(elements * step.element_size);
}

/// Which collectives tell the sizes, and how that is called.
std::pair<Buckets, std::string> telling_collectives(const std::vector<StepLayers>& steps) {
  const auto any = [&](Buckets buckets) {
    return std::ranges::any_of(steps, [&](const StepLayers& s) { return !(s.*buckets).empty(); });
  };
  if (any(&StepLayers::buckets))
    return {&StepLayers::buckets, "the buckets, each as one gradient of the layer before it"};
  if (any(&StepLayers::late_buckets))
    return {&StepLayers::late_buckets,
            "what is reduced behind the backward pass, as gradients of the first layer"};
  if (any(&StepLayers::gathered))
    return {&StepLayers::gathered,
            "the all-gathers of the forward pass, each as one gradient of the layer behind it"};
  return {&StepLayers::buckets, ""};
}

}  // namespace

std::string size_gradients(const KinetoTrace& trace, const KinetoView& view,
                           std::vector<StepLayers>& steps) {
  const Bytes element = size_of(gradient_type_of(trace, view).type);
  for (StepLayers& step : steps)
    step.element_size = static_cast<std::uint64_t>(element.value);
  const bool shards = std::ranges::any_of(steps, are_shards);
  if (std::ranges::all_of(steps, all_known) && !shards)
    return std::string(kRecordedShapes);
  const auto work = work_by_step(view);
  const auto by_copies = [&](StepLayers& step) {
    return size_by_copies(trace, view, work[step.step], step);
  };
  if (!shards && std::ranges::all_of(steps, by_copies))
    return "copies out of the gradient buckets, in their order";
  const auto [buckets, how] = telling_collectives(steps);
  for (StepLayers& step : steps)
    size_by_buckets(step, buckets);
  return how;
}

namespace {

using Supplied = std::vector<SuppliedGradient>;
using Elements = std::vector<std::uint64_t>;

std::vector<LayerGradient*> gradients_of(StepLayers& step) {
  std::vector<LayerGradient*> gradients;
  for (LayerTimes& layer : step.layers)
    for (LayerGradient& gradient : layer.gradients)
      gradients.push_back(&gradient);
  std::ranges::sort(gradients, {}, [](const LayerGradient* g) { return g->order; });
  return gradients;
}

/// Elements of the step's gradients by the numbers of their calls; empty unless all are there.
Elements by_record_id(const std::vector<LayerGradient*>& gradients, const Supplied& supplied) {
  std::unordered_map<std::uint64_t, std::uint64_t> known;
  for (const SuppliedGradient& gradient : supplied)
    if (gradient.record_id > 0)
      known.emplace(gradient.record_id, gradient.elements);
  Elements elements;
  for (const LayerGradient* gradient : gradients) {
    const auto found = known.find(gradient->record_id);
    if (found == known.end())
      return {};
    elements.push_back(found->second);
  }
  return elements;
}

/// Elements in order; empty unless the list is one sequence of `count`, once or repeated.
Elements by_order(std::size_t count, const Supplied& supplied) {
  if (supplied.empty() || supplied.size() % count != 0)
    return {};
  Elements elements;
  for (std::size_t i = 0; i < supplied.size(); ++i) {
    if (i < count)
      elements.push_back(supplied[i].elements);
    else if (supplied[i].elements != elements[i % count])
      return {};
  }
  return elements;
}

/// How many sizes were missing and are now there.
std::size_t fill(const std::vector<LayerGradient*>& gradients, const Elements& elements,
                 const std::string& place, ImportReport& report) {
  std::size_t filled = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    LayerGradient& gradient = *gradients[i];
    if (gradient.elements == 0 && elements[i] > 0) {
      gradient.elements = elements[i];
      ++filled;
    } else if (gradient.elements != elements[i]) {
      report.doubt("gradient of another shape than in the execution trace", place);
    }
  }
  return filled;
}

/// What one execution trace gave to all steps.
struct Tally {
  std::size_t by_id = 0;
  std::size_t by_order = 0;
};

void supply_step(const TraceSupplement& supplement, StepLayers& step, Tally& tally,
                 ImportReport& report) {
  const std::vector<LayerGradient*> gradients = gradients_of(step);
  if (gradients.empty())
    return;
  const std::string place = fmt::format("step {}", step.step);
  if (const Elements found = by_record_id(gradients, supplement.gradients); !found.empty())
    tally.by_id += fill(gradients, found, place, report);
  else if (const Elements ordered = by_order(gradients.size(), supplement.gradients);
           !ordered.empty())
    tally.by_order += fill(gradients, ordered, place, report);
  else
    report.doubt("step whose gradients are not those of the execution trace", place);
}

}  // namespace

std::string supply_shapes(const std::vector<TraceSupplement>& supplements,
                          std::vector<StepLayers>& steps, ImportReport& report) {
  std::string how;
  for (const TraceSupplement& supplement : supplements) {
    if (supplement.gradients.empty())
      continue;
    Tally tally;
    for (StepLayers& step : steps)
      supply_step(supplement, step, tally, report);
    if (tally.by_id + tally.by_order > 0)
      how = fmt::format("execution trace {}: {} joined by their calls' numbers, {} by order",
                        supplement.origin, tally.by_id, tally.by_order);
  }
  return how;
}

}  // namespace stepcast
