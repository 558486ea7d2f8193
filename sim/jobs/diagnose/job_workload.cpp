#include "sim/jobs/diagnose/job_workload.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/jobs/diagnose/pipelines/pipeline_workload.hpp"
#include "sim/jobs/diagnose/pipelines/recorded_passes.hpp"
#include "sim/jobs/job_pace.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {
namespace {

/// One rank in one step, in seconds; of buckets in the order in which they become ready.
struct RankStep {
  std::vector<double> backward;  ///< Before each bucket, and behind the last.
  std::vector<Bytes> sizes;
  double forward = 0;
  double update = 0;
  double other = 0;
  double delays = 0;
};

class JobSummary {
 public:
  JobSummary(const Job& job, bool ideal) : job_(job), replay_(job), ideal_(ideal) {}

  Workload run() {
    for (std::uint32_t step = 0; step < job_.steps.size(); ++step)
      for (const std::vector<std::uint32_t>& places : places_by_rank(step))
        seen_.push_back(rank_step(step, places));
    keep_usual();
    return workload();
  }

 private:
  bool reduces(const JobOperation& done) const {
    const JobKind& kind = job_.kinds[done.kind];
    return kind.purpose == JobPurpose::Sum && kind.size > Bytes{};
  }

  std::vector<std::vector<std::uint32_t>> places_by_rank(std::uint32_t number) const {
    const auto& operations = job_.steps[number].operations;
    std::vector<std::vector<std::uint32_t>> places(job_.ranks.size());
    for (std::uint32_t place = 0; place < operations.size(); ++place)
      places[operations[place].rank].push_back(place);
    return places;
  }

  /// `places`: of the rank's operations.
  RankStep rank_step(std::uint32_t number, const std::vector<std::uint32_t>& places) const {
    const auto& operations = job_.steps[number].operations;
    RankStep seen;
    std::map<std::uint32_t, double> passes;  // Backward work by place, which is by begin.
    std::vector<std::pair<std::uint32_t, Bytes>> cuts;
    for (const std::uint32_t place : places) {
      const JobOperation& done = operations[place];
      const double time = ideal_ ? replay_.ideal(number)[place] : replay_.actual(number)[place];
      const JobKind& kind = job_.kinds[done.kind];
      if (kind.work != JobWork::Transfer)
        seen.delays += ideal_ ? 0 : replay_.delays(number)[place];
      if (kind.work == JobWork::Backward)
        passes[place] = time;
      else if (kind.work == JobWork::Forward)
        seen.forward += time;
      else if (kind.work == JobWork::Compute)
        (kind.updates ? seen.update : seen.other) += time;
      else if (reduces(done))
        cuts.emplace_back(ready_behind(operations, place, passes), kind.size);
    }
    std::ranges::stable_sort(cuts, {}, &std::pair<std::uint32_t, Bytes>::first);
    divide(passes, cuts, seen);
    return seen;
  }

  /// The last backward work that had ended when a reduction began.
  static std::uint32_t ready_behind(const std::vector<JobOperation>& operations,
                                    std::uint32_t place,
                                    const std::map<std::uint32_t, double>& passes) {
    constexpr Seconds kRounding{1e-6};
    std::uint32_t last = 0;
    for (const auto& [before, time] : passes)
      if (operations[before].end <= operations[place].begin + kRounding)
        last = before;
    return last;
  }

  static void divide(const std::map<std::uint32_t, double>& passes,
                     const std::vector<std::pair<std::uint32_t, Bytes>>& cuts, RankStep& seen) {
    seen.backward.assign(cuts.size() + 1, 0);
    for (const auto& [place, time] : passes) {
      const auto found =
          std::ranges::lower_bound(cuts, place, {}, [](const auto& cut) { return cut.first; });
      seen.backward[static_cast<std::size_t>(found - cuts.begin())] += time;
    }
    for (const auto& [place, size] : cuts)
      seen.sizes.push_back(size);
  }

  /// Those with as many buckets as most have.
  void keep_usual() {
    std::map<std::size_t, std::size_t> counts;
    for (const RankStep& seen : seen_)
      ++counts[seen.sizes.size()];
    const auto usual =
        std::ranges::max_element(counts, {}, [](const auto& of) { return of.second; });
    std::erase_if(seen_, [&](const RankStep& of) { return of.sizes.size() != usual->first; });
    if (usual->first == 0)
      throw InputError(job_.name +
                       ": expected gradients reduced in all-reduces or reduce-scatters of known "
                       "size, found none; gradient_bytes and recorded_on of the job file are of "
                       "jobs of several stages");
  }

  template <typename Value>
  double mean(Value value) const {
    double sum = 0;
    for (const RankStep& seen : seen_)
      sum += value(seen);
    return sum / static_cast<double>(seen_.size());
  }

  std::vector<Layer> bucket_layers() const;
  Workload workload() const;

  const Job& job_;
  JobReplay replay_;
  bool ideal_;
  std::vector<RankStep> seen_;
};

/// In the order of the backward pass, forward passes divided like the backward ones.
std::vector<Layer> JobSummary::bucket_layers() const {
  const double forward = mean([](const RankStep& seen) { return seen.forward; });
  double backward = 0;
  const std::size_t buckets = seen_.front().sizes.size();
  std::vector<Layer> layers;
  for (std::size_t i = 0; i <= buckets; ++i) {
    const double time = mean([i](const RankStep& seen) { return seen.backward[i]; });
    backward += time;
    Layer layer{.name = i < buckets ? fmt::format("bucket {}", i) : "before the buckets",
                .kind = "Recorded",
                .backward = Seconds{time}};
    constexpr double kElement = 4;  // Bytes, as of fp32: assumed.
    if (i < buckets)
      layer.parameters.push_back(
          {.name = "gradients",
           .elements = static_cast<std::uint64_t>(
               mean([i](const RankStep& seen) { return seen.sizes[i].value; }) / kElement + 0.5)});
    layers.push_back(std::move(layer));
  }
  for (Layer& layer : layers)
    layer.forward = Seconds{backward > 0 ? forward * (layer.backward.value / backward)
                                         : forward / static_cast<double>(layers.size())};
  return layers;
}

Workload JobSummary::workload() const {
  std::vector<Layer> layers = bucket_layers();
  const double other = mean([](const RankStep& seen) { return seen.other; });
  const double delays = mean([](const RankStep& seen) { return seen.delays; });
  if (other > 0)
    layers.push_back(
        {.name = "copies and other work", .kind = "Recorded", .forward = Seconds{other}});
  if (delays > 0)
    layers.push_back({.name = "delays", .kind = kHostGap, .forward = Seconds{delays}});
  std::ranges::reverse(layers);
  Workload workload{.name = job_.name + (ideal_ ? "-ideal" : "-recorded"),
                    .model = job_.name,
                    .device = "recorded",
                    .layers = std::move(layers)};
  workload.update = Seconds{mean([](const RankStep& seen) { return seen.update; })};
  workload.provenance = {
      .kind = ProvenanceKind::Derived,
      .source = fmt::format("job {}, {} ranks, {} steps", job_.name, job_.ranks.size(),
                            job_.steps.size()),
      .method = ideal_ ? "every kernel takes the mean of its kind, no delays"
                       : "mean over ranks and steps",
      .notes = {"layers are what is computed between two reductions; assumed: forward time is "
                "divided like backward time, an element has 4 bytes",
                "the batch is not known: 1"}};
  return workload;
}

}  // namespace

Workload workload_of(const Job& job, bool ideal) {
  refuse_profiled_groups(job);
  const std::vector<bool> stalled = stalled_steps_of(job);
  if (const auto left_out = std::ranges::count(stalled, true); left_out > 0) {
    Workload workload = workload_of(without_stalled_steps(job, stalled), ideal);
    workload.provenance.notes.push_back(
        fmt::format("{} of {} steps, which stalled, are left out", left_out, job.steps.size()));
    return workload;
  }
  return job.stages > 1 ? pipeline_workload_of(job, ideal) : JobSummary(job, ideal).run();
}

}  // namespace stepcast
