#pragma once

#include <string>
#include <vector>

#include "traces/formats/kineto/layers/layer_times.hpp"
#include "traces/formats/reader.hpp"
#include "traces/formats/spread.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// A direction of a layer whose time differs between steps.
struct UnevenLayer {
  std::string name;  ///< "conv2d-3 backward"; empty: none.
  double ratio = 0;  ///< Standard deviation over mean.
};

/// The mean step, and how far the steps lie apart.
struct AverageStep {
  std::vector<LayerTimes> layers;  ///< Only those with a time, a gap or a gradient.
  std::uint32_t steps = 0;         ///< Averaged.
  std::uint32_t passes = 1;        ///< Of a step; layers are those of the mean pass.
  std::uint32_t model_group = 1;   ///< Ranks that share the model.
  Spread duration;                 ///< On the device; of the whole steps that did not stall.
  RecordedPace pace;               ///< Of all whole steps.
  Spread computation;              ///< On the device.
  Seconds input_copies{};          ///< Mean; in no layer.
  Seconds collective_waits{};      ///< Mean; in no layer.
  Seconds pauses{};                ///< Mean; part of the gaps.
  Seconds copies_alone{};          ///< Mean; of the copies, while nothing computed.
  double unaccounted = 0;          ///< Of a whole step, the worst: what its parts do not make up.
  double median_ratio = 0;         ///< Of the layers' times in either direction.
  UnevenLayer most_uneven;         ///< Of those with a hundredth of the computation or more.
  std::vector<Bytes> buckets;      ///< Gradients sent together, in the last of the steps.
};

/// Times of layers are means over all steps, gaps and waits over the whole ones that did not stall.
///
/// Averages the steps that do the same work, see join_layers(). Others are counted as skipped, and
/// so are the first ones as long as they take more than twice the median step: a warm-up. Of
/// several ranks, steps of one number are in `steps` several times.
AverageStep average(std::vector<StepLayers> steps, ImportReport& report);

}  // namespace stepcast
