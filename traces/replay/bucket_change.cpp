#include "traces/replay/bucket_change.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

struct Bucket {
  Bytes size{};
  Bytes end{};  ///< Gradient bytes up to and including this bucket.
  std::uint32_t ready = 0;
};

std::vector<Bucket> fill_buckets(const RecordedStep& step, const BucketSizes& sizes) {
  std::vector<Bucket> buckets;
  Bytes filled{};
  bool open = false;
  for (const RecordedGradient& gradient : step.gradients) {
    if (!open)
      buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.size += gradient.size;
    bucket.end = filled += gradient.size;
    bucket.ready = std::max(bucket.ready, gradient.ready);
    open = bucket.size < (buckets.size() == 1 ? std::min(sizes.first, sizes.size) : sizes.size);
  }
  return buckets;
}

/// The old collectives of gradients, and how many bytes each and those before it reduced.
std::vector<std::pair<std::uint32_t, Bytes>> old_buckets(const RecordedStep& step) {
  std::vector<std::pair<std::uint32_t, Bytes>> old;
  Bytes filled{};
  for (std::uint32_t i = 0; i < step.tasks.size(); ++i)
    if (step.tasks[i].gradients)
      old.emplace_back(i, filled += step.tasks[i].size);
  return old;
}

/// Rewrites the task list: new collectives directly behind what makes them ready.
class Rewriter {
 public:
  Rewriter(const RecordedStep& step, std::vector<Bucket> buckets)
      : step_(step), buckets_(std::move(buckets)), place_(step.tasks.size()) {}

  RecordedStep run() {
    result_ = {.name = step_.name,
               .recorded = step_.recorded,
               .begin = step_.begin,
               .whole = step_.whole,
               .stalled = step_.stalled,
               .streams = step_.streams};
    const auto old = old_buckets(step_);
    for (std::uint32_t i = 0; i < step_.tasks.size(); ++i) {
      if (!step_.tasks[i].gradients)
        copy(i);
      add_ready_buckets(i, step_.tasks[old.front().first].stream);
    }
    for (const auto& [task, end] : old)
      place_[task] = bucket_of(end);
    for (const auto& [before, after] : step_.edges)
      if (!step_.tasks[after].gradients && place_[before] < place_[after])
        result_.edges.emplace_back(place_[before], place_[after]);
    for (const auto& [stream, task] : step_.earlier)
      if (!step_.tasks[task].gradients)
        result_.earlier.emplace_back(stream, place_[task]);
    return std::move(result_);
  }

 private:
  void copy(std::uint32_t task) {
    place_[task] = static_cast<std::uint32_t>(result_.tasks.size());
    result_.tasks.push_back(step_.tasks[task]);
  }

  void add_ready_buckets(std::uint32_t ready, std::uint16_t stream) {
    while (placed_.size() < buckets_.size() && buckets_[placed_.size()].ready <= ready) {
      const auto place = static_cast<std::uint32_t>(result_.tasks.size());
      const Bucket& bucket = buckets_[placed_.size()];
      result_.tasks.push_back({.stream = stream,
                               .kind = RecordedKind::Collective,
                               .label = fmt::format("bucket {}", placed_.size()),
                               .collective = CollectiveKind::AllReduce,
                               .size = bucket.size,
                               .gradients = true});
      if (!step_.tasks[bucket.ready].gradients)
        result_.edges.emplace_back(place_[bucket.ready], place);
      placed_.push_back(place);
    }
  }

  std::uint32_t bucket_of(Bytes end) const {
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      if (buckets_[i].end >= end)
        return placed_[i];
    return placed_.back();
  }

  const RecordedStep& step_;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> place_;   // of the old tasks in the new list
  std::vector<std::uint32_t> placed_;  // the new collectives in the new list
  RecordedStep result_;
};

}  // namespace

RecordedStep with_buckets(const RecordedStep& step, const BucketSizes& sizes) {
  const bool reduces = std::ranges::any_of(step.tasks, &RecordedTask::gradients);
  if (step.gradients.empty() || !reduces)
    throw InputError(step.name +
                     ": other buckets need gradients of known size and their all-reduces");
  return Rewriter(step, fill_buckets(step, sizes)).run();
}

}  // namespace stepcast
