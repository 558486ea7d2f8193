#include "sim/study/optimise/bucket_recursion.hpp"

#include <algorithm>

#include "models/collective/collective.hpp"

namespace stepcast {

BucketRecursion::BucketRecursion(const Workload& workload, const Cluster& cluster)
    : cluster_(cluster) {
  std::vector<Seconds> passed(workload.layers.size());
  for (std::size_t layer = workload.layers.size(); layer-- > 0;) {
    passed_ += workload.layers[layer].backward;
    passed[layer] = passed_;
  }
  sums_.push_back({});
  for (const Gradient& gradient : gradients_in_ready_order(workload)) {
    ready_.push_back(passed[gradient.layer]);
    sums_.push_back(sums_.back() + gradient.size);
  }
}

Seconds BucketRecursion::cost(std::uint32_t first, std::uint32_t last) const {
  return cluster_.software.collective_launch +
         cost_of({.kind = CollectiveKind::AllReduce, .size = size(first, last)}, world_of(cluster_),
                 cluster_);
}

Seconds BucketRecursion::end_of(const BucketEnds& buckets) const {
  Seconds reduced{};
  std::uint32_t first = 0;
  for (const std::uint32_t last : buckets) {
    reduced = std::max(reduced, ready_[last - 1]) + cost(first, last);
    first = last;
  }
  return std::max(passed_, reduced);
}

BucketEnds BucketRecursion::best() const {
  std::vector<Seconds> ends{Seconds{}};
  std::vector<std::uint32_t> begins{0};  // Of the last bucket up to there.
  for (std::uint32_t last = 1; last <= gradients(); ++last) {
    std::uint32_t begin = 0;
    Seconds end = ready(last - 1) + cost(0, last);
    for (std::uint32_t first = 1; first < last; ++first) {
      const Seconds other = std::max(ends[first], ready(last - 1)) + cost(first, last);
      if (other < end) {
        end = other;
        begin = first;
      }
    }
    ends.push_back(end);
    begins.push_back(begin);
  }
  BucketEnds buckets;
  for (std::uint32_t last = gradients(); last > 0; last = begins[last])
    buckets.push_back(last);
  std::ranges::reverse(buckets);
  return buckets;
}

}  // namespace stepcast
