#include "sim/search/optimise/bucket_recursion.hpp"

#include <algorithm>

#include "models/collective/collective.hpp"

namespace stepcast {

BucketRecursion::BucketRecursion(const Workload& workload, const Cluster& cluster)
    : cluster_(cluster), beside_(cluster) {
  beside_.intra_node.bandwidth =
      cluster.intra_node.bandwidth / (1 + cluster.overlap.communication_slowdown);
  startup_ = cost(Bytes{}, cluster_);
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

Seconds BucketRecursion::cost(Bytes size, const Cluster& cluster) const {
  return cost_of({.kind = CollectiveKind::AllReduce, .size = size}, world_of(cluster), cluster);
}

Seconds BucketRecursion::reduced(Seconds start, std::uint32_t first, std::uint32_t last) const {
  const Bytes bytes = size(first, last);
  const Seconds alone = cost(bytes, cluster_);
  const Seconds moving = alone - startup_;
  const Seconds begin =
      std::max(start, ready(last - 1)) + cluster_.software.collective_launch + startup_;
  if (begin >= passed_)
    return begin + moving;
  const Seconds slow = moving + (cost(bytes, beside_) - alone);
  if (begin + slow <= passed_)
    return begin + slow;
  return passed_ + moving * (1 - (passed_ - begin) / slow);
}

Seconds BucketRecursion::end_of(const BucketEnds& buckets) const {
  Seconds end{};
  std::uint32_t first = 0;
  for (const std::uint32_t last : buckets) {
    end = reduced(end, first, last);
    first = last;
  }
  return std::max(passed_, end);
}

BucketEnds BucketRecursion::best() const {
  std::vector<Seconds> ends{Seconds{}};
  std::vector<std::uint32_t> begins{0};  // Of the last bucket up to there.
  for (std::uint32_t last = 1; last <= gradients(); ++last) {
    std::uint32_t begin = 0;
    Seconds end = reduced({}, 0, last);
    for (std::uint32_t first = 1; first < last; ++first) {
      const Seconds other = reduced(ends[first], first, last);
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
