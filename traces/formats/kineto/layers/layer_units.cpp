#include "traces/formats/kineto/layers/layer_units.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {
namespace {

constexpr std::string_view kModule = "nn.Module: ";
constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
constexpr std::string_view kAccumulate = "torch::autograd::AccumulateGrad";

/// "conv2d" of "aten::conv2d".
std::string short_name(const std::string& name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

/// "Conv2d" of "Conv2d_0".
std::string kind_of_module(const std::string& name) {
  const std::size_t underscore = name.rfind('_');
  return underscore == std::string::npos ? name : name.substr(0, underscore);
}

}  // namespace

bool is_launched_forward(const KinetoTrace& trace, const DeviceWork& work,
                         std::optional<Seconds> backward) {
  return !backward || trace.events[work.launch].start < *backward;
}

LayerUnits::LayerUnits(const KinetoTrace& trace, const KinetoView& view, std::uint32_t step)
    : trace_(trace), view_(view) {
  const KinetoStep& span = view.steps.steps[step];
  layers_.push_back({.name = "no-operator", .kind = "None"});
  begins_.push_back(span.begin);
  const auto each_event = [&](std::size_t thread, auto use) {
    const auto& order = view.scopes.by_thread[thread];
    const auto start_of = [&](std::uint32_t i) { return trace.events[i].start; };
    for (auto at = std::ranges::lower_bound(order, span.begin, {}, start_of);
         at != order.end() && start_of(*at) < span.end; ++at)
      if (trace.events[*at].kind == KinetoKind::Operator)
        use(*at);
  };
  if (view.steps.thread < view.scopes.by_thread.size())
    each_event(view.steps.thread, [&](std::uint32_t i) { add_forward(i); });
  for (std::size_t thread = 0; thread < view.scopes.by_thread.size(); ++thread)
    each_event(thread, [&](std::uint32_t i) { add_node(i); });
}

// Operators called directly by the training program, in order.
void LayerUnits::add_forward(std::uint32_t index) {
  const Scope& scope = view_.scopes.around(index);
  const KinetoEvent& event = trace_.events[index];
  if (scope.top_operator != kNoEvent || scope.mark == Mark::Optimizer ||
      scope.mark == Mark::Backward || is_autograd_node(trace_.name_of(event)))
    return;
  const std::uint32_t layer = layer_of_forward_operator(index);
  layer_of_event_[index] = layer;
  if (event.joint >= 0 && (by_sequence_.empty() || event.joint >= by_sequence_.back().first))
    by_sequence_.emplace_back(event.joint, layer);
}

std::uint32_t LayerUnits::layer_of_forward_operator(std::uint32_t index) {
  const std::uint32_t module = view_.scopes.around(index).module;
  const Seconds begin = trace_.events[index].start;
  if (module == kNoEvent || view_.scopes.has_modules[module]) {
    const std::string name = short_name(trace_.name_of(trace_.events[index]));
    return add_layer(name, name, begin);
  }
  const auto [at, added] = layer_of_event_.try_emplace(module, 0);
  if (added) {
    const std::string name = trace_.name_of(trace_.events[module]).substr(kModule.size());
    at->second = add_layer(name, kind_of_module(name), begin);
  }
  return at->second;
}

std::uint32_t LayerUnits::add_layer(const std::string& name, const std::string& kind,
                                    Seconds begin) {
  const std::uint32_t use = uses_[name]++;
  const bool numbered = name == kind || use > 0;
  layers_.push_back({.name = numbered ? fmt::format("{}-{}", name, use) : name, .kind = kind});
  begins_.push_back(begin);
  return static_cast<std::uint32_t>(layers_.size() - 1);
}

// The training program calls no operators while the backward pass runs: nodes between the first
// operators of two layers are those of a backward pass that has ended. What checkpoints compute
// again is called by nodes.
std::vector<LayerTimes> LayerUnits::take_layers() {
  std::vector<Seconds> nodes;
  for (const auto& [thread, all] : nodes_)
    for (const Node& node : all)
      nodes.push_back(node.start);
  std::ranges::sort(nodes);
  auto before = nodes.begin();
  for (std::size_t layer = 1; layer < layers_.size(); ++layer) {
    const auto until = std::lower_bound(before, nodes.end(), begins_[layer]);
    layers_[layer].turn = layers_[layer - 1].turn + (until == before ? 0 : 1);
    before = until;
  }
  return std::move(layers_);
}

// A node without a number of its own (the accumulation of a gradient) follows the one before it.
void LayerUnits::add_node(std::uint32_t index) {
  const KinetoEvent& event = trace_.events[index];
  const std::string& name = trace_.name_of(event);
  if (!is_autograd_node(name))
    return;
  scoped_nodes_ = scoped_nodes_ || name.starts_with(kEvaluate);
  backward_begin_ = std::min(backward_begin_.value_or(event.start), event.start);
  auto& nodes = nodes_[event.thread];
  std::uint32_t layer = nodes.empty() ? kNoLayer : nodes.back().layer;
  if (event.joint >= 0)
    layer = layer_by_sequence(event.joint);
  nodes.push_back({event.start, layer});
  if (name != kAccumulate)
    return;
  const auto id = trace_.record_ids.find(index);
  layers_[layer].gradients.push_back(
      {gradients_++, event.amount, id == trace_.record_ids.end() ? 0 : id->second});
}

// An operator that makes no node carries the number of the next one that does: of several with one
// number, the last made the node.
std::uint32_t LayerUnits::layer_by_sequence(std::int64_t sequence) const {
  const auto after = std::ranges::upper_bound(by_sequence_, sequence, {},
                                              [](const auto& entry) { return entry.first; });
  return after == by_sequence_.begin() ? kNoLayer : std::prev(after)->second;
}

std::uint32_t LayerUnits::layer_of(std::uint32_t launch, WorkPhase phase) const {
  if (launch == kNoEvent || phase == WorkPhase::Optimizer)
    return kNoLayer;
  const Scope& scope = view_.scopes.around(launch);
  if (phase != WorkPhase::Backward) {
    const auto found = layer_of_event_.find(scope.top_operator);
    return found == layer_of_event_.end() ? kNoLayer : found->second;
  }
  // Behind the backward graph, gradients are copied out of buckets: no layer's work.
  return scoped_nodes_ && scope.node == kNoEvent ? kNoLayer : layer_before(launch);
}

std::uint32_t LayerUnits::layer_before(std::uint32_t launch) const {
  const auto nodes = nodes_.find(trace_.events[launch].thread);
  if (nodes == nodes_.end())
    return kNoLayer;
  const auto after =
      std::ranges::upper_bound(nodes->second, trace_.events[launch].start, {}, &Node::start);
  return after == nodes->second.begin() ? kNoLayer : std::prev(after)->layer;
}

}  // namespace stepcast
