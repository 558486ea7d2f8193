#include "models/schedule/passes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {

std::vector<TaskId> forward_pass(Builder& builder) {
  std::vector<TaskId> tasks;
  for (LayerId layer = 0; layer < builder.workload().layers.size(); ++layer)
    tasks.push_back(builder.forward(layer));
  return tasks;
}

std::vector<TaskId> backward_pass(Builder& builder) {
  std::vector<TaskId> tasks(builder.workload().layers.size());
  for (auto layer = static_cast<LayerId>(tasks.size()); layer-- > 0;)
    tasks[layer] = builder.backward(layer);
  return tasks;
}

std::vector<Gradient> gradients_in_ready_order(const Workload& workload) {
  std::vector<Gradient> gradients;
  for (auto layer = static_cast<LayerId>(workload.layers.size()); layer-- > 0;) {
    const Layer& owner = workload.layers[layer];
    for (auto parameter = owner.parameters.rbegin(); parameter != owner.parameters.rend();
         ++parameter)
      gradients.push_back({.layer = layer,
                           .name = owner.name + "." + parameter->name,
                           .size = size_of(*parameter),
                           .elements = parameter->elements,
                           .matrix = parameter->matrix});
  }
  return gradients;
}

std::vector<Gradient> partitioned(std::vector<Gradient> gradients, Bytes partition) {
  constexpr double kMostPieces = 500'000;
  double count = 0;
  for (const Gradient& gradient : gradients)
    count += std::max(1.0, std::ceil(gradient.size / partition));
  if (count > kMostPieces)
    throw InputError(
        fmt::format("option partition: expected at most {:.0f} pieces of all "
                    "gradients, found {:.0f} of {}; larger pieces are fewer",
                    kMostPieces, count, format_bytes(partition)));
  std::vector<Gradient> pieces;
  for (Gradient& gradient : gradients) {
    if (gradient.size <= partition) {
      pieces.push_back(std::move(gradient));
      continue;
    }
    for (Bytes sent{}; sent < gradient.size; sent += partition)
      pieces.push_back({.layer = gradient.layer,
                        .name = fmt::format("{}[{}]", gradient.name, sent / partition),
                        .size = std::min(partition, gradient.size - sent),
                        .elements = gradient.elements,
                        .matrix = gradient.matrix});
  }
  return pieces;
}

std::vector<OptionInfo> bucket_options() {
  return {size_option("bucket", "25MiB", "a bucket closes at this size (bucket_cap_mb)"),
          size_option("first_bucket", "1MiB", "the same for the first bucket")};
}

std::vector<Bucket> buckets_of(const Workload& workload, const OptionReader& read) {
  const Bytes limit = read.size("bucket");
  const Bytes first_limit = read.size("first_bucket");
  std::vector<Bucket> buckets;
  bool open = false;
  for (Gradient& gradient : gradients_in_ready_order(workload)) {
    if (!open)
      buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.size += gradient.size;
    bucket.last_ready = gradient.layer;
    bucket.gradients.push_back(std::move(gradient));
    open = bucket.size < (buckets.size() == 1 ? first_limit : limit);
  }
  return buckets;
}

std::string label_of(const Bucket& bucket, std::size_t index) {
  if (bucket.gradients.size() == 1)
    return bucket.gradients.front().name;
  return fmt::format("bucket {} ({} ..)", index, bucket.gradients.front().name);
}

}  // namespace stepcast
