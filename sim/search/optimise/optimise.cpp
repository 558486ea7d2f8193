#include "sim/search/optimise/optimise.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/edited/host_work.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/search/optimise/bucket_recursion.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

struct EditCandidate {
  EditKind kind = EditKind::Fuse;
  std::string text;
  BucketEnds buckets;
  Seconds end{};
};

class BucketOptimiser {
 public:
  BucketOptimiser(const Workload& workload, const Cluster& cluster, const EngineOptions& engine)
      : workload_(workload),
        cluster_(cluster),
        engine_(engine),
        recursion_(workload, cluster),
        gradients_(gradients_in_ready_order(workload)) {}

  Optimisation run(const BucketLimits& start);

 private:
  BucketEnds filled(const BucketLimits& limits) const;
  std::vector<Bucket> buckets_of(const BucketEnds& ends) const;
  Forecast simulated(const BucketEnds& buckets);
  bool accept(EditCandidate edit);
  bool accept_one_of(std::vector<EditCandidate> edits);
  std::vector<EditCandidate> best_edits();
  EditCandidate regrouping();
  void offer(EditKind kind, const BucketEnds& buckets, const std::string& text);
  void offer_fusions(const BucketEnds& buckets);
  void offer_splits(const BucketEnds& buckets);
  void offer_moves(const BucketEnds& buckets);
  void offer_sizes();
  void describe();
  static std::string why(const Forecast& forecast) {
    return forecast.why.empty() ? "" : forecast.why.front();
  }
  static std::uint32_t begin_of(const BucketEnds& buckets, std::size_t at) {
    return at == 0 ? 0 : buckets[at - 1];
  }

  const Workload& workload_;
  const Cluster& cluster_;
  const EngineOptions& engine_;
  BucketRecursion recursion_;
  std::vector<Gradient> gradients_;
  Optimisation result_;
  BucketEnds buckets_;
  std::vector<EditCandidate> offered_;  // The few with the shortest estimates, in their order.
  Seconds end_{};                       // By estimate, without them.
};

Optimisation BucketOptimiser::run(const BucketLimits& start) {
  buckets_ = filled(start);
  Forecast forecast = simulated(buckets_);
  result_.step_before = result_.step_after = forecast.iteration_time;
  result_.bound_by = why(forecast);
  while (accept_one_of(best_edits())) {
  }
  if (accept(regrouping()))
    while (accept_one_of(best_edits())) {
    }
  describe();
  return std::move(result_);
}

/// Simulates an edit and keeps it if the step is shorter.
bool BucketOptimiser::accept(EditCandidate edit) {
  if (stop_signal() != 0)
    return false;
  const Forecast changed = simulated(edit.buckets);
  if (changed.iteration_time >= result_.step_after)
    return false;
  result_.accepted.push_back({.kind = edit.kind,
                              .text = std::move(edit.text),
                              .gain = result_.step_after - changed.iteration_time,
                              .step = changed.iteration_time});
  result_.step_after = changed.iteration_time;
  result_.bound_by = why(changed);
  buckets_ = std::move(edit.buckets);
  return true;
}

bool BucketOptimiser::accept_one_of(std::vector<EditCandidate> edits) {
  return std::ranges::any_of(edits, [&](EditCandidate& edit) { return accept(std::move(edit)); });
}

EditCandidate BucketOptimiser::regrouping() {
  ++result_.tried;
  BucketEnds best = recursion_.best();
  return {.kind = EditKind::Regroup,
          .text = fmt::format("divide all gradients anew, into {} buckets", best.size()),
          .buckets = std::move(best)};
}

BucketEnds BucketOptimiser::filled(const BucketLimits& limits) const {
  BucketEnds ends;
  std::uint32_t first = 0;
  for (std::uint32_t last = 1; last <= recursion_.gradients(); ++last)
    if (recursion_.size(first, last) >= (ends.empty() ? limits.first : limits.size) ||
        last == recursion_.gradients()) {
      ends.push_back(last);
      first = last;
    }
  return ends;
}

std::vector<Bucket> BucketOptimiser::buckets_of(const BucketEnds& ends) const {
  std::vector<Bucket> buckets;
  std::uint32_t first = 0;
  for (const std::uint32_t last : ends) {
    Bucket& bucket = buckets.emplace_back();
    bucket.gradients.assign(gradients_.begin() + first, gradients_.begin() + last);
    bucket.size = recursion_.size(first, last);
    bucket.last_ready = gradients_[last - 1].layer;
    first = last;
  }
  return buckets;
}

Forecast BucketOptimiser::simulated(const BucketEnds& buckets) {
  ++result_.simulated;
  Builder builder("buckets", workload_, cluster_);
  const StreamId stream = builder.stream("all-reduce");
  overlapped_step(builder, buckets_of(buckets), {.stream = stream});
  const Plan plan = with_host(std::move(builder).build(), workload_, cluster_);
  const Timeline timeline = simulate(plan, cluster_, engine_);
  return make_forecast(workload_, cluster_, plan, {}, engine_.fidelity, timeline);
}

/// Those with the shortest estimates that are shorter than without them, the shortest first.
std::vector<EditCandidate> BucketOptimiser::best_edits() {
  end_ = recursion_.end_of(buckets_);
  offered_.clear();
  offer_fusions(buckets_);
  offer_splits(buckets_);
  offer_moves(buckets_);
  offer_sizes();
  return std::move(offered_);
}

void BucketOptimiser::offer(EditKind kind, const BucketEnds& buckets, const std::string& text) {
  constexpr double kRounding = 1e-9;
  constexpr std::size_t kMost = 8;
  ++result_.tried;
  const Seconds end = recursion_.end_of(buckets);
  if (end >= end_ * (1 - kRounding))
    return;
  const auto place = std::ranges::upper_bound(offered_, end, {}, &EditCandidate::end);
  if (offered_.size() == kMost && place == offered_.end())
    return;
  offered_.insert(place, {.kind = kind, .text = text, .buckets = buckets, .end = end});
  if (offered_.size() > kMost)
    offered_.pop_back();
}

void BucketOptimiser::offer_fusions(const BucketEnds& buckets) {
  Seconds before{};  // When the reduction before the two ends.
  for (std::size_t at = 0; at + 1 < buckets.size(); ++at) {
    const std::uint32_t first = begin_of(buckets, at);
    const std::uint32_t middle = buckets[at];
    const std::uint32_t last = buckets[at + 1];
    const Seconds reduced = recursion_.reduced(before, first, middle);
    const Seconds as_one = recursion_.reduced(before, first, last);
    before = reduced;
    if (as_one >= recursion_.reduced(reduced, middle, last))
      continue;
    BucketEnds fused = buckets;
    fused.erase(fused.begin() + static_cast<std::ptrdiff_t>(at));
    offer(EditKind::Fuse, fused,
          fmt::format("fuse buckets {} and {} ({}, {})", at, at + 1,
                      format_bytes(recursion_.size(first, middle)),
                      format_bytes(recursion_.size(middle, last))));
  }
}

void BucketOptimiser::offer_splits(const BucketEnds& buckets) {
  for (std::size_t at = 0; at < buckets.size(); ++at)
    for (std::uint32_t end = begin_of(buckets, at) + 1; end < buckets[at]; ++end) {
      BucketEnds split = buckets;
      split.insert(split.begin() + static_cast<std::ptrdiff_t>(at), end);
      offer(EditKind::Split, split,
            fmt::format("split bucket {} behind {}", at, gradients_[end - 1].name));
    }
}

void BucketOptimiser::offer_moves(const BucketEnds& buckets) {
  for (std::size_t at = 0; at + 1 < buckets.size(); ++at)
    for (std::uint32_t end = begin_of(buckets, at) + 1; end < buckets[at + 1]; ++end) {
      if (end == buckets[at])
        continue;
      BucketEnds moved = buckets;
      moved[at] = end;
      const bool forward = end > buckets[at];
      offer(EditKind::Move, moved,
            fmt::format("move {} gradients from bucket {} to {}",
                        forward ? end - buckets[at] : buckets[at] - end, forward ? at + 1 : at,
                        forward ? at : at + 1));
    }
}

void BucketOptimiser::offer_sizes() {
  constexpr double kRatio = 1.25;
  const Bytes all = recursion_.size(0, recursion_.gradients());
  for (Bytes size = all; size > all / 1000; size = size / kRatio)
    offer(EditKind::Resize, filled({.size = size, .first = size}),
          "close buckets at " + format_bytes(size));
}

void BucketOptimiser::describe() {
  result_.workload = workload_.name;
  result_.cluster = cluster_.name;
  result_.gpus = cluster_.ranks();
  result_.fidelity = engine_.fidelity;
  std::uint32_t first = 0;
  for (const std::uint32_t last : buckets_) {
    result_.buckets.push_back({.size = recursion_.size(first, last),
                               .gradients = last - first,
                               .first = gradients_[first].name});
    first = last;
  }
}

}  // namespace

const char* name_of(EditKind kind) {
  return name_among({"fuse", "split", "move", "resize", "regroup", "recipe", "asked"}, kind);
}

Optimisation optimise_buckets(const Workload& workload, const Cluster& cluster,
                              const EngineOptions& engine, const BucketLimits& start) {
  const StopsBetweenJobs stops;
  if (parameter_size(workload) <= Bytes{})
    throw InputError(workload.name + ": expected a workload with gradients, found none");
  Optimisation found = BucketOptimiser(workload, cluster, engine).run(start);
  const LikelyRange range = shipped_range(kBucketSchedule, workload.device, cluster);
  found.likely_before = likely_step(range, found.step_before);
  found.likely_after = likely_step(range, found.step_after);
  return found;
}

}  // namespace stepcast
