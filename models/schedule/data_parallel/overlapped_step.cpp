#include "models/schedule/data_parallel/overlapped_step.hpp"

#include <utility>

namespace stepcast {

std::vector<Bucket> bucket_of_each(const Workload& workload) {
  std::vector<Bucket> buckets;
  for (Gradient& gradient : gradients_in_ready_order(workload)) {
    Bucket& bucket = buckets.emplace_back();
    bucket.size = gradient.size;
    bucket.last_ready = gradient.layer;
    bucket.gradients.push_back(std::move(gradient));
  }
  return buckets;
}

void overlapped_step(Builder& builder, const std::vector<Bucket>& buckets,
                     const CommunicationOptions& options) {
  forward_pass(builder);
  const auto backward = backward_pass(builder);
  const TaskId update = builder.update("update");
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const TaskId reduced = builder.all_reduce(label_of(buckets[i], i), buckets[i].size, options);
    builder.after(reduced, {backward[buckets[i].last_ready]});
    builder.after(update, {reduced});
  }
}

}  // namespace stepcast
