#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/formats/kineto/device_work.hpp"

namespace stepcast {

/// A gradient of a layer.
struct LayerGradient {
  std::uint32_t order = 0;      ///< In which the step's gradients became ready, from 0.
  std::uint64_t elements = 0;   ///< 0: not known.
  std::uint64_t record_id = 0;  ///< PyTorch's number of the call; 0: not recorded.
};

/// The kind of the layer that holds work launched before the profile.
inline constexpr const char* kUnlaunched = "Unlaunched";

/// One layer of one recorded step.
struct LayerTimes {
  std::string name;
  std::string kind;
  Seconds forward{};
  Seconds backward{};
  Seconds update{};             ///< By the optimizer; in the first layer only.
  Seconds forward_messages{};   ///< Among ranks that share the model, while nothing computed:
  Seconds backward_messages{};  ///< launched by the forward and by the backward pass.
  bool reduced_behind = false;  ///< Its gradients are, once these have been launched.
  Seconds forward_gap{};   ///< The device idled so long before the forward work, see DeviceIdle.
  Seconds backward_gap{};  ///< The same before the backward work.
  std::vector<LayerGradient> gradients;
  std::uint32_t work = 0;           ///< Kernels, copies and fills,
  std::uint32_t forward_work = 0;   ///< those of the forward
  std::uint32_t backward_work = 0;  ///< and those of the backward pass.
  std::uint32_t turn = 0;           ///< Backward passes that began before it, in its step.
};

/// A collective of the backward pass: a bucket of gradients.
struct GradientBucket {
  std::uint32_t layer = 0;  ///< Whose backward pass came last before it.
  Bytes size{};
};

/// Layers of one step in forward order. The first one holds what is in none: the update, which
/// precedes the next forward pass, and work that no operator launched.
struct StepLayers {
  std::uint32_t step = 0;
  Seconds duration{};    ///< On the device, see find_device_steps().
  bool whole = true;     ///< False: the duration is no period, gaps and waits are not all there.
  bool stalled = false;  ///< See find_stalled(): gaps and waits are not those of the usual step.
  std::vector<LayerTimes> layers;
  Seconds input_copies{};      ///< Host to device; in no layer.
  Seconds copies_alone{};      ///< Of these: while nothing computed.
  Seconds communication{};     ///< In no layer.
  Seconds collective_waits{};  ///< Nothing computed, for want of a collective's end; in no layer.
  Seconds pauses{};            ///< Of the gaps, those before work that was launched already.
  std::vector<GradientBucket> buckets;
  std::vector<GradientBucket> late_buckets;  ///< Reduced behind the backward pass: of layer 0.
  std::vector<GradientBucket> gathered;      ///< Parameters that the forward pass gathered.
  std::uint64_t element_size = 4;  ///< Bytes of an element of a gradient, see GradientType.
  /// Times, launches and gaps of the layers are those of one of so many passes, see join_passes().
  std::uint32_t passes = 1;
  std::uint32_t model_group = 1;  ///< Ranks that share the model.
};

/// Takes every step apart into layers: a leaf nn.Module where modules were recorded, else an
/// operator that the training thread called. Forward work belongs to the operator it was launched
/// in; backward work to the operator whose sequence number the node of the backward graph carries.
/// Work without a recorded launch belongs to the layer of the work before it on its stream; what
/// was launched before the profile is a layer of its own, the last one.
std::vector<StepLayers> find_layers(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
