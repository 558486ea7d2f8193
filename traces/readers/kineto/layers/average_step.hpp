#pragma once

#include <string>
#include <vector>

#include "traces/readers/kineto/layers/layer_times.hpp"
#include "traces/readers/reader.hpp"
#include "traces/readers/spread.hpp"

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
  Spread duration;                 ///< On the host's clock.
  Spread computation;              ///< On the device.
  Seconds input_copies{};          ///< Mean; in no layer.
  Seconds collective_waits{};      ///< Mean; in no layer.
  Seconds pauses{};                ///< Mean; part of the gaps.
  double median_ratio = 0;         ///< Of the layers' times in either direction.
  UnevenLayer most_uneven;         ///< Of those with a hundredth of the computation or more.
};

/// Averages the steps that consist of the layers most of them have. Others are counted as skipped,
/// and so are the first ones as long as they take more than twice the median step: a warm-up. Of
/// several ranks, steps of one number are in `steps` several times.
AverageStep average(std::vector<StepLayers> steps, ImportReport& report);

}  // namespace stepcast
