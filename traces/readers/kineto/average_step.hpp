#pragma once

#include <string>
#include <vector>

#include "traces/readers/kineto/layer_times.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// The mean step, and how far the steps lie apart.
struct AverageStep {
  std::vector<LayerTimes> layers;  ///< Only those with a time, a gap or a gradient.
  std::uint32_t steps = 0;         ///< Averaged.
  Seconds mean{};                  ///< Computation on the device, of a step.
  Seconds smallest{};
  Seconds largest{};
  Seconds input_copies{};  ///< Mean; in no layer.
};

/// Averages the steps that consist of the layers most of them have. Others are counted as skipped.
AverageStep average(std::vector<StepLayers> steps, ImportReport& report);

}  // namespace stepcast
