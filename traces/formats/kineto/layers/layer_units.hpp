#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/formats/kineto/layers/layer_times.hpp"

namespace stepcast {

/// Whether the forward pass of its step launched the work: before the first node of the backward
/// graph began at `backward`, if there was one. Precondition: its launch is recorded.
bool is_launched_forward(const KinetoTrace& trace, const DeviceWork& work,
                         std::optional<Seconds> backward);

/// Which layer of a step a host event belongs to.
class LayerUnits {
 public:
  static constexpr std::uint32_t kNoLayer = 0;  ///< The first: of what is in none.

  LayerUnits(const KinetoTrace& trace, const KinetoView& view, std::uint32_t step);

  /// Layer of work of any phase that `launch` (an event, or kNoEvent) put on the device.
  std::uint32_t layer_of(std::uint32_t launch, WorkPhase phase) const;

  /// Layer of the node of the backward graph that began last before `launch`, on its thread.
  std::uint32_t layer_before(std::uint32_t launch) const;

  /// When the first node of the backward graph began; nothing if there was none.
  std::optional<Seconds> backward_begin() const { return backward_begin_; }

  /// In forward order, without times. Takes them out.
  std::vector<LayerTimes> take_layers();

 private:
  struct Node {
    Seconds start{};
    std::uint32_t layer = 0;
  };

  void add_forward(std::uint32_t index);
  void add_node(std::uint32_t index);
  std::uint32_t layer_by_sequence(std::int64_t sequence) const;
  std::uint32_t layer_of_forward_operator(std::uint32_t index);
  std::uint32_t add_layer(const std::string& name, const std::string& kind, Seconds begin);

  const KinetoTrace& trace_;
  const KinetoView& view_;
  std::vector<LayerTimes> layers_;
  std::vector<Seconds> begins_;  // of their first operators; of layer 0 before all
  std::unordered_map<std::uint32_t, std::uint32_t> layer_of_event_;  // operator or leaf module
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_sequence_;  // ascending
  std::unordered_map<std::uint16_t, std::vector<Node>> nodes_;       // by thread, ascending
  std::unordered_map<std::string, std::uint32_t> uses_;              // of a layer name
  std::uint32_t gradients_ = 0;
  std::optional<Seconds> backward_begin_;
  bool scoped_nodes_ = false;  // every part of the backward pass lies in a node
};

}  // namespace stepcast
