#include "sim/jobs/diagnose/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/diagnose/verdict.hpp"
#include "sim/jobs/job_pace.hpp"

// A replay is one pass over the job. There is one for each rank, stage, data-parallel group, host
// and kind, of which eight share a pass, and some 20 more; steps are divided among the cores.

namespace stepcast {
namespace {

constexpr double kWorstShare = 0.03;  // Of the ranks, as in the published analysis.

StepSpread spread_of(std::vector<double> steps) {
  std::ranges::sort(steps);
  return {.p50 = Seconds{quantile_of_sorted(steps, 0.5)},
          .p95 = Seconds{quantile_of_sorted(steps, 0.95)},
          .most = Seconds{steps.back()}};
}

class Diagnosing {
 public:
  explicit Diagnosing(const Job& job) : job_(job), replay_(job) {
    for (const JobRank& rank : job.ranks)
      groups_.push_back(rank.data);
    std::ranges::sort(groups_);
    groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
    for (const JobKind& kind : job.kinds) {
      const auto found = std::ranges::find(parts_, kind.part);
      part_of_.push_back(static_cast<std::size_t>(found - parts_.begin()));
      if (found == parts_.end())
        parts_.push_back(kind.part);
    }
  }

  Diagnosis run(const VerdictThresholds& thresholds);

 private:
  void time_steps();
  void slow_down_parts();
  void explain_waste();
  void follow_ranks();

  /// S with only these as recorded.
  template <typename IsReal>
  double slowdown_of(IsReal is_real) const {
    return replay_.mean_if(is_real) / diagnosis_.ideal_step.value;
  }
  template <typename PartOf>
  std::vector<PartSlowdown> slowdowns(const std::vector<std::string>& names, PartOf part_of) const {
    const std::vector<double> means = replay_.means_of_parts(names.size(), part_of);
    std::vector<PartSlowdown> parts;
    for (std::size_t part = 0; part < names.size(); ++part)
      parts.push_back({names[part], means[part] / diagnosis_.ideal_step.value});
    return parts;
  }
  /// The place of a rank's data-parallel group among those that are recorded.
  std::size_t group_of(const JobRank& rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(groups_, rank.data) - groups_.begin());
  }
  WasteExplained explained_by(std::vector<std::uint32_t> ranks) const;
  std::vector<std::uint32_t> worst_ranks() const;

  const Job& job_;
  JobReplay replay_;
  Diagnosis diagnosis_;
  std::vector<std::uint32_t> groups_;  // Data-parallel groups that are recorded.
  std::vector<std::string> parts_;
  std::vector<std::size_t> part_of_;  // By kind.
};

Diagnosis Diagnosing::run(const VerdictThresholds& thresholds) {
  diagnosis_.job = job_.name;
  diagnosis_.gpus = job_.gpus;
  diagnosis_.stages = job_.stages;
  diagnosis_.groups = data_groups(job_);
  diagnosis_.ranks = job_.ranks;
  diagnosis_.missing = missing_ranks(job_);
  diagnosis_.steps = job_.steps.size();
  diagnosis_.clocks = job_.clocks;
  diagnosis_.restored = job_.restored;
  diagnosis_.lost = job_.lost;
  for (std::size_t step = 0; step < replay_.steps(); ++step)
    diagnosis_.taken_apart += replay_.graph(step).taken_apart();
  time_steps();
  slow_down_parts();
  explain_waste();
  follow_ranks();
  diagnosis_.uneven_kernels = uneven_kernels(replay_, diagnosis_.uses);
  diagnosis_.meetings = meeting_costs(replay_);
  diagnosis_.gains = gains_of(replay_, diagnosis_.worst_ranks.ranks);
  diagnosis_.gains.larger_buckets = larger_buckets(job_);
  diagnosis_.verdict = verdict_of(diagnosis_, replay_, thresholds);
  std::erase_if(diagnosis_.by_stage, [&](const PartSlowdown& stage) {
    return std::ranges::none_of(
        job_.ranks, [&](const JobRank& rank) { return std::to_string(rank.stage) == stage.name; });
  });
  return std::move(diagnosis_);
}

void Diagnosing::time_steps() {
  const std::vector<double> recorded = replay_.recorded();
  const std::vector<double> delayed = replay_.delayed();
  const std::vector<double> real = replay_.replay_if([](const JobOperation&) { return true; });
  const std::vector<double> ideal = replay_.replay_if([](const JobOperation&) { return false; });
  const std::vector<bool> stalled = stalled_steps_of(job_);
  std::vector<Seconds> lengths;
  for (const double step : recorded)
    lengths.push_back(Seconds{step});
  diagnosis_.timed = job_.timed;
  diagnosis_.pace = pace_of(lengths, stalled);
  diagnosis_.recorded_step = Seconds{mean_of_usual(recorded, stalled)};
  diagnosis_.simulated_step = Seconds{mean_of_usual(delayed, stalled)};
  diagnosis_.undelayed_step = Seconds{mean_of(real)};
  diagnosis_.ideal_step = Seconds{mean_of(ideal)};
  diagnosis_.recorded_spread = spread_of(recorded);
  diagnosis_.simulated_spread = spread_of(delayed);
  diagnosis_.undelayed_spread = spread_of(real);
  diagnosis_.ideal_spread = spread_of(ideal);
  diagnosis_.slowdown = diagnosis_.undelayed_step / diagnosis_.ideal_step;
  for (std::size_t step = 0; step < recorded.size(); ++step) {
    diagnosis_.by_step.push_back({job_.steps[step].name, real[step] / ideal[step]});
    diagnosis_.replayed.push_back(
        {job_.steps[step].name, Seconds{recorded[step]}, Seconds{delayed[step]}});
    diagnosis_.step_error += diagnosis_.replayed.back().error();
  }
  diagnosis_.step_error /= static_cast<double>(recorded.size());
  diagnosis_.doubts = doubts_of(job_, diagnosis_.step_error);
}

void Diagnosing::slow_down_parts() {
  std::vector<std::string> ranks;
  std::vector<std::string> stages;
  std::vector<std::string> data;
  std::map<std::string, std::size_t> hosts;
  for (const JobRank& rank : job_.ranks) {
    ranks.push_back(label_of(rank));
    if (!rank.host.empty())
      hosts.emplace(rank.host, hosts.size());
  }
  for (std::uint32_t stage = 0; stage < job_.stages; ++stage)
    stages.push_back(std::to_string(stage));
  for (const std::uint32_t group : groups_)
    data.push_back(std::to_string(group));
  std::vector<std::string> nodes(hosts.size());
  for (const auto& [host, number] : hosts)
    nodes[number] = host;
  std::vector<std::size_t> group_of_rank;
  std::vector<std::size_t> node_of_rank;
  for (const JobRank& rank : job_.ranks) {
    group_of_rank.push_back(group_of(rank));
    node_of_rank.push_back(rank.host.empty() ? nodes.size() : hosts.at(rank.host));
  }
  diagnosis_.by_rank = slowdowns(ranks, [](const auto& done) { return done.rank; });
  diagnosis_.by_stage =
      slowdowns(stages, [&](const auto& done) { return job_.ranks[done.rank].stage; });
  diagnosis_.by_data = slowdowns(data, [&](const auto& done) { return group_of_rank[done.rank]; });
  diagnosis_.by_kind = slowdowns(parts_, [&](const auto& done) { return part_of_[done.kind]; });
  diagnosis_.by_node = slowdowns(nodes, [&](const auto& done) { return node_of_rank[done.rank]; });
}

/// The slowest 3 % of the ranks, one at least. A rank scores the smaller of its data-parallel
/// group's and its stage's slow-down: both must be slow for the rank to be. Of equal ones its own
/// slow-down decides, as in a job of one stage.
std::vector<std::uint32_t> Diagnosing::worst_ranks() const {
  std::vector<std::uint32_t> ranks(job_.ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank] = rank;
  const auto score = [&](std::uint32_t rank) {
    const double group = diagnosis_.by_data[group_of(job_.ranks[rank])].slowdown;
    return std::pair(std::min(group, diagnosis_.by_stage[job_.ranks[rank].stage].slowdown),
                     diagnosis_.by_rank[rank].slowdown);
  };
  const auto count = static_cast<std::size_t>(
      std::max(1.0, std::ceil(kWorstShare * static_cast<double>(ranks.size()))));
  std::ranges::stable_sort(ranks,
                           [&](std::uint32_t a, std::uint32_t b) { return score(a) > score(b); });
  ranks.resize(count);
  return ranks;
}

WasteExplained Diagnosing::explained_by(std::vector<std::uint32_t> ranks) const {
  std::vector<bool> is_one(job_.ranks.size());
  for (const std::uint32_t rank : ranks)
    is_one[rank] = true;
  const double without =
      replay_.mean_if([&](const JobOperation& done) { return !is_one[done.rank]; });
  const double waste = (diagnosis_.undelayed_step - diagnosis_.ideal_step).value;
  const bool all = ranks.empty() || ranks.size() == job_.ranks.size();
  WasteExplained explained{.ranks = std::move(ranks)};
  explained.alone = slowdown_of([&](const JobOperation& done) { return is_one[done.rank]; });
  constexpr double kLeastWaste = 1e-6;  // Of the step; below, the share would be one of rounding.
  if (!all && waste > kLeastWaste * diagnosis_.ideal_step.value)
    explained.share = (diagnosis_.undelayed_step.value - without) / waste;
  return explained;
}

void Diagnosing::explain_waste() {
  diagnosis_.worst_ranks = explained_by(worst_ranks());
  std::vector<std::uint32_t> last;
  for (std::uint32_t rank = 0; rank < job_.ranks.size(); ++rank)
    if (job_.ranks[rank].stage + 1 == job_.stages)
      last.push_back(rank);
  diagnosis_.last_stage = explained_by(std::move(last));
}

void Diagnosing::follow_ranks() {
  diagnosis_.uses = rank_uses(replay_);
  PathOverRanks path = path_over_ranks(replay_);
  const std::vector<double> errors = replay_.rank_errors();
  for (std::size_t rank = 0; rank < diagnosis_.uses.size(); ++rank) {
    diagnosis_.uses[rank].slowdown = diagnosis_.by_rank[rank].slowdown;
    diagnosis_.uses[rank].on_path = Seconds{path.by_rank[rank]};
    diagnosis_.uses[rank].replay_error = errors[rank];
  }
  for (const std::string& part : parts_)
    diagnosis_.path_by_kind.push_back({.name = part});
  for (std::size_t kind = 0; kind < path.by_kind.size(); ++kind)
    diagnosis_.path_by_kind[part_of_[kind]].share +=
        path.by_kind[kind] / diagnosis_.undelayed_step.value;
  std::ranges::stable_sort(diagnosis_.path_by_kind, std::greater<>(), &KindOnPath::share);
  diagnosis_.changes_of_rank = path.changes;
  diagnosis_.path_step = job_.steps[path.step].name;
  diagnosis_.stretches = std::move(path.stretches);
}

}  // namespace

const char* name_of(VerdictKind kind) {
  return name_among(
      {"none", "worker", "stage", "data", "host", "network", "collectives", "checkpoints"}, kind);
}

Seconds mean_of_ranks(const Diagnosis& diagnosis, Seconds RankUse::*time) {
  Seconds sum{};
  double count = 0;
  for (const RankUse& use : diagnosis.uses)
    if (!diagnosis.ranks[use.rank].serves) {
      sum += use.*time;
      count += 1;
    }
  return count > 0 ? sum / count : Seconds{};
}

namespace {

/// Who is late cannot be told where nobody computes.
void refuse_without_computation(const Job& job) {
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      if (computes(job.kinds[done.kind]) && done.end > done.begin)
        return;
  throw InputError(fmt::format("{}: expected computation, such as {}, found communication alone",
                               job.name,
                               job.profiled ? "kernels" : "forward-compute and backward-compute"));
}

}  // namespace

Diagnosis diagnose(const Job& job, const VerdictThresholds& thresholds) {
  refuse_without_computation(job);
  return Diagnosing(job).run(thresholds);
}

}  // namespace stepcast
