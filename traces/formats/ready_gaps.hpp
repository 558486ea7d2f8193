#pragma once

#include <string>
#include <vector>

#include "traces/formats/reader.hpp"

namespace stepcast {

/// A gradient in the order in which the backward pass makes them ready.
struct ReadyGradient {
  std::string name;  ///< "layer4.2.bn3.weight".
  std::uint64_t elements = 0;
  Seconds gap{};  ///< Since the gradient before it became ready; 0 for the first.
};

/// What such a trace is called in the workload.
struct ReadyGapsFacts {
  std::string origin;
  std::string model;
  std::string device;
  std::string source;
  std::string method;
};

/// The workload of a model of which only the backward pass is known. Consecutive gradients of one
/// module ("layer4.2.bn3") are a layer, whose backward time is the sum of their gaps. Forward time
/// is not known: options.forward_share of the backward time, by default 0.5, which is assumed and
/// counted as doubtful. Throws InputError without gradients or time, or if the batch is not given.
Workload workload_of_gaps(const std::vector<ReadyGradient>& gradients, const ReadyGapsFacts& facts,
                          const ImportOptions& options, ImportReport& report);

}  // namespace stepcast
