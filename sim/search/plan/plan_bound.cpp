#include "sim/search/plan/plan_bound.hpp"

#include <algorithm>
#include <map>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;

/// Bounds of one job, of which only the first micro-batches are in its order.
class HybridBound {
 public:
  HybridBound(const HybridJob& job, const Workload& model, const Cluster& cluster,
              Count micro_batches)
      : job_(job),
        cluster_(cluster),
        micro_batches_(micro_batches),
        parts_(part_times(job)),
        element_(model.transformer ? element_size(model.transformer->shape) : Bytes{4}),
        moves_(model.transformer ? model.transformer->law.elementwise
                                 : cluster.device.memory_bandwidth) {}

  Seconds time() const {
    if (job_.order.both_ways)
      return compute_both_ways();
    const bool halves = makes_halves();
    Seconds longest{};
    Seconds filled{};
    for (Count stage = 0; stage < job_.order.stages; ++stage) {
      longest = std::max(longest, filled + work_of(stage) * micro_batches_);
      const PartTimes& first = parts_[part_of(job_.order, stage, 0)];
      filled += first.forward + message_behind(stage);
      if (!halves)
        filled += first.input_gradient + first.weight_gradient + message_behind(stage);
    }
    if (!has_copies())
      return longest + norm() + update_time(job_, 0, moves_);
    if (job_.zero == 3)
      return std::max(longest, network_of_shards()) + norm() + update_time(job_, 0, moves_);
    const Seconds summed = std::max(longest + exposed_gradients(), network_of_gradients());
    if (job_.awaits_blocks())  // what comes then may hide in the next step, DeAR's updates too
      return summed + norm();
    return summed + norm() + update_time(job_, 0, moves_) + gathering();
  }

 private:
  bool has_copies() const { return job_.copies() > 1; }

  // Whose gradients of weights may come behind the last pass that others wait for.
  bool makes_halves() const {
    const PipelinePass& last = job_.order.ranks.front().back();
    return last.kind != PassKind::Backward || last.chunk != 0;
  }

  // Half of the micro-batches go through each of a stage's parts, and messages may hide.
  Seconds compute_both_ways() const {
    Seconds longest{};
    for (Count stage = 0; stage < job_.order.stages; ++stage) {
      Seconds sum{};
      for (Count chunk = 0; chunk < job_.order.chunks; ++chunk) {
        const Count part = part_of(job_.order, stage, chunk);
        for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit) {
          const PartTimes& compute = job_.units[unit].compute;
          sum += compute.forward + compute.input_gradient + compute.weight_gradient;
        }
      }
      longest = std::max(longest, sum * (micro_batches_ / 2.0));
    }
    return longest;
  }

  Seconds work_of(Count stage) const {
    Seconds sum{};
    for (Count chunk = 0; chunk < job_.order.chunks; ++chunk) {
      const PartTimes& part = parts_[part_of(job_.order, stage, chunk)];
      sum += part.forward + part.input_gradient + part.weight_gradient;
    }
    return sum;
  }

  // From a stage to the next, of every rank at once.
  Seconds message_behind(Count stage) const {
    if (stage + 1 == job_.order.stages || job_.blocked > Seconds{} || !job_.links.empty())
      return {};
    const Group pair{{job_.layout.rank(stage, 0, 0, 0), job_.layout.rank(stage + 1, 0, 0, 0)}};
    return time_of(CollectiveKind::Send, message_size(job_, 0) / job_.between_stages.ratio, pair,
                   std::min(job_.layout.stage_ranks(), cluster_.gpus_per_node));
  }

  // `beside`: groups that use a node's adapters at the same time.
  Seconds time_of(CollectiveKind kind, Bytes size, const Group& group, Count beside) const {
    if (group.size() < 2 || size == Bytes{})
      return {};
    const Collective each{.kind = kind, .algorithm = default_algorithm(kind), .size = size};
    const Seconds alone = cost_of(each, group, cluster_);
    if (node_of(cluster_, group.ranks.front()) == node_of(cluster_, group.ranks.back()))
      return alone;
    const Seconds moving = sent_per_rank(each, group.size()) / node_link(cluster_).bandwidth;
    return std::max(alone, std::min(moving, alone) * beside);
  }

  // Copies of the first rank, and how many groups of them cross a node's adapters.
  Group copies() const {
    Group group;
    for (Count data = 0; data < job_.layout.data; ++data)
      for (Count context = 0; context < job_.layout.context; ++context)
        group.ranks.push_back(job_.layout.rank(0, data, context, 0));
    return group;
  }

  Count groups_of_a_node() const { return std::min(job_.layout.tensor, cluster_.gpus_per_node); }

  Bytes gradients_of(double parameters) const {
    return Bytes{parameters * job_.gradient_bytes} / job_.gradients.ratio;
  }

  // Gradients of stage 0 leave in buckets behind the units that made them, or at once. Another
  // exchange may hide or compress all of them.
  Seconds exposed_gradients() const {
    if (job_.exchange)
      return {};
    const bool shares = job_.zero > 0 && job_.shard == job_.copies();
    const CollectiveKind kind = shares ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    const Group group = copies();
    if (!job_.overlap_gradients)
      return time_of(kind, gradients_of(stage_parameters(job_, 0).dense), group,
                     groups_of_a_node());
    std::map<double, Seconds> known;
    Seconds computed{};
    Seconds sent{};
    std::size_t unit = job_.first_unit[1];
    for (const StageBucket& bucket : stage_buckets(job_, 0)) {
      while (unit > bucket.first) {
        const PartTimes times = times_of(job_.units[--unit]);
        computed += times.weight_gradient + (makes_halves() ? Seconds{} : times.input_gradient);
      }
      const double parameters = bucket.parameters.dense;
      const auto [time, is_new] = known.try_emplace(parameters);
      if (is_new)
        time->second = time_of(kind, gradients_of(parameters), group, groups_of_a_node());
      sent = std::max(sent, computed) + time->second;
    }
    return std::max(Seconds{}, sent - computed);
  }

  // With ZeRO-2 those of every micro-batch, one behind the other.
  Seconds network_of_gradients() const {
    if (!job_.scatters_each_micro_batch())
      return {};
    const Bytes size = gradients_of(stage_parameters(job_, 0).dense);
    return time_of(CollectiveKind::ReduceScatter, size, copies(), groups_of_a_node()) *
           micro_batches_;
  }

  Seconds gathering() const {
    if (job_.zero == 0 || job_.by_broadcasts || job_.shard != job_.copies())
      return {};
    return time_of(CollectiveKind::AllGather, gathered_size(job_, 0, element_), copies(),
                   groups_of_a_node());
  }

  // Parameters are gathered in each pass and gradients reduced in each backward pass.
  Seconds network_of_shards() const {
    Group group = copies();
    group.ranks.resize(job_.shard);
    Seconds gathers{};
    Seconds reductions{};
    for (std::size_t unit = 0; unit < job_.first_unit[1]; ++unit) {
      const double parameters = job_.units[unit].parameters;
      gathers += time_of(CollectiveKind::AllGather, element_ * parameters, group, 1);
      reductions += time_of(CollectiveKind::ReduceScatter, gradients_of(parameters), group, 1);
    }
    return std::max(gathers * 2, reductions) * micro_batches_;
  }

  Seconds norm() const {
    if (!job_.norm_barrier || cluster_.ranks() < 2)
      return {};
    return time_of(CollectiveKind::AllReduce, Bytes{4}, world_of(cluster_), 1);
  }

  const HybridJob& job_;
  const Cluster& cluster_;
  Count micro_batches_;
  std::vector<PartTimes> parts_;
  Bytes element_;
  BytesPerSecond moves_;
};

/// Of stages 0, 1 and the last, one of which holds most, or nearly.
Bytes memory_of(const HybridJob& job, const Workload& model) {
  Bytes most{};
  const Count last = job.order.stages - 1;
  for (const Count stage : {Count{0}, std::min<Count>(1, last), last})
    most = std::max(most, stage_memory(job, model, stage).total());
  return most;
}

/// A job of so few micro-batches that its order is short: what is left over of full rounds of all
/// stages stays, as some orders need that to divide.
Count few_micro_batches(Count micro_batches, Count stages) {
  const Count rounds = 2 * stages;
  return micro_batches <= rounds + stages ? micro_batches : rounds + micro_batches % stages;
}

PlanBound bound_with(ScheduleOptions options, const PlanSpace& space,
                     const PlanCandidate& candidate, const ScheduleInfo& pipeline) {
  const PlanSite& site = space.sites[candidate.site];
  const Count data =
      site.cluster.ranks() / (candidate.tensor * candidate.pipeline * candidate.context);
  const Count at_once = data * candidate.micro_batch;
  const Count micro_batches = site.global_batch / at_once;
  const Count few = few_micro_batches(micro_batches, candidate.pipeline);
  const auto job_of = [&](Count count) {
    options["global_batch"] = std::to_string(count * at_once);
    return hybrid_job_of(schedule_of(pipeline.name, options), site.workload, site.cluster, options);
  };
  const HybridJob job = job_of(few);
  const Bytes memory = memory_of(job, site.workload);
  PlanBound bound{
      .sample_s = HybridBound(job, site.workload, site.cluster, micro_batches).time().value /
                  site.global_batch,
      .memory = memory};
  // Orders that hold more with every round of micro-batches go on doing so.
  const bool fits = site.memory == Bytes{} || memory <= site.memory;
  if (few < micro_batches && fits) {
    const Count more = few + candidate.pipeline;
    const Bytes growth = memory_of(job_of(more), site.workload) - memory;
    bound.memory += growth * ((micro_batches - few) / candidate.pipeline);
  }
  return bound;
}

// The best partition is one of three, whichever is the shortest when simulated.
PlanBound hybrid_bound(const PlanSpace& space, const PlanCandidate& candidate,
                       const ScheduleInfo& pipeline) {
  ScheduleOptions options = options_of(space, candidate);
  const auto partition = options.find("partition");
  PlanBound least = bound_with(options, space, candidate, pipeline);
  if (partition == options.end() || partition->second != "best")
    return least;
  for (const char* other : {"equal", "time"}) {
    partition->second = other;
    const PlanBound bound = bound_with(options, space, candidate, pipeline);
    least.sample_s = std::min(least.sample_s, bound.sample_s);
    least.memory = std::min(least.memory, bound.memory);
  }
  return least;
}

/// Compute alone: how much of the rest is hidden is what schedules differ in.
PlanBound whole_bound(const PlanSpace& space, const PlanCandidate& candidate) {
  const PlanSite& site = space.sites[candidate.site];
  Settings settings;
  settings.schedule = options_of(space, candidate);
  if (space.request.global_batch)
    settings.global_batch = site.global_batch;
  const std::uint32_t training =
      training_ranks(space.schedules[candidate.schedule].name, site.cluster, settings.schedule);
  const Workload step =
      with_settings(site.workload, resolved_batch(settings, site.cluster, training));
  const Seconds time = forward_time(step) + backward_time(step);
  return {.sample_s = time.value / (double{1} * step.batch * training)};
}

}  // namespace

Seconds step_bound(const HybridJob& job, const Workload& model, const Cluster& cluster) {
  return HybridBound(job, model, cluster, job.micro_batches()).time();
}

PlanBound bound_of(const PlanSpace& space, const PlanCandidate& candidate) {
  const std::string& name = space.schedules[candidate.schedule].name;
  const ScheduleInfo& schedule = schedule_of(name);
  return schedule.partitions_model() ? hybrid_bound(space, candidate, schedule)
                                     : whole_bound(space, candidate);
}

}  // namespace stepcast
