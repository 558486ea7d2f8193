#pragma once
// What all data-parallel schedules share: the forward and backward passes, and the gradients in the
// order in which the backward pass makes them ready.

#include <string>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/options.hpp"

namespace stepcast {

/// Forward tasks of all layers, by layer.
std::vector<TaskId> forward_pass(Builder& builder);

/// Backward tasks of all layers, last layer first; the result is indexed by layer.
std::vector<TaskId> backward_pass(Builder& builder);

/// One gradient tensor.
struct Gradient {
  LayerId layer = 0;
  std::string name;
  Bytes size{};
  std::uint64_t elements = 0;
  bool matrix = false;  ///< See Parameter.
};

/// All gradients in the order in which they become ready: last layer first and, within a layer,
/// last parameter first.
std::vector<Gradient> gradients_in_ready_order(const Workload& workload);

/// The gradients in pieces of at most `partition`; a piece of a divided one is named
/// "fc.weight[2]" and keeps the element count of the whole.
std::vector<Gradient> partitioned(std::vector<Gradient> gradients, Bytes partition);

/// Consecutive gradients that are communicated together.
struct Bucket {
  std::vector<Gradient> gradients;
  Bytes size{};
  LayerId last_ready = 0;  ///< The layer whose backward pass makes the last of them ready.
};

/// The options `bucket` and `first_bucket`, and the buckets that they ask for. Gradients join a
/// bucket in ready order; it closes when it has reached its size, and the first one is small, so
/// that communication starts early (PyTorch's DistributedDataParallel).
std::vector<OptionInfo> bucket_options();
std::vector<Bucket> buckets_of(const Workload& workload, const OptionReader& read);

/// "fc.weight" for one gradient, "bucket 3 (layer4.2.conv3.weight ..)" for several.
std::string label_of(const Bucket& bucket, std::size_t index);

}  // namespace stepcast
