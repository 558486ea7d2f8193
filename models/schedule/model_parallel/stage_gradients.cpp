#include "models/schedule/model_parallel/stage_gradients.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {

StageTeams::StageTeams(const HybridJob& job, Builder& builder) : job_(job), builder_(builder) {
  gradients = builder.stream("gradients");
  parameters = builder.stream("parameters");
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage) {
    tensor.push_back(builder.team(tensor_team(job.layout, stage)));
    dense.push_back(copies(copies_team(job.layout, stage), job.copies(), job.shard));
    experts.push_back(job.experts_are_apart()
                          ? copies(expert_copies_team(job.layout, stage),
                                   job.layout.expert_copies(), job.expert_shard())
                          : dense.back());
  }
}

StageCopies StageTeams::copies(const Team& all, std::uint32_t count, std::uint32_t sharers) {
  StageCopies copies{.count = count, .sharers = sharers, .all = builder_.team(all)};
  copies.shard = copies.all;
  if (job_.zero > 0 && sharers < count)
    copies.shard = builder_.team(shard_team(all, sharers));
  if (job_.shares_in_parts())
    copies.replicas = builder_.team(replica_team(all, sharers));
  return copies;
}

TeamId StageTeams::between(std::uint32_t from, std::uint32_t to) {
  const auto [known, is_new] = pairs_.try_emplace({from, to}, 0);
  if (is_new)
    known->second = builder_.team(stage_pairs(job_.layout, from, to));
  return known->second;
}

StreamId StageTeams::messages(bool forward, std::uint32_t chunk, std::uint32_t sender) {
  const std::uint32_t p = job_.order.stages;
  const std::uint32_t colour = p % 2 == 1 && sender + 1 == p ? 2 : sender % 2;
  const bool back = job_.order.folded || job_.order.both_ways;
  const std::uint32_t way = back ? chunk % 2 : 0;
  const auto [known, is_new] = messages_.try_emplace({forward, way, colour}, 0);
  if (is_new)
    known->second = builder_.stream(fmt::format(
        "{}{}{}", forward ? "activations " : "their gradients ", way == 0 ? "" : "back ", colour));
  return known->second;
}

StageGradients::StageGradients(const HybridJob& job, Builder& builder, StageTeams& teams,
                               Bytes element, BytesPerSecond moves)
    : job_(job),
      builder_(builder),
      teams_(teams),
      element_(element),
      moves_(moves),
      sums_(job.order.stages) {}

std::vector<TaskId> StageGradients::add_sum(std::uint32_t stage, const RankParameters& parameters,
                                            const std::string& of, TaskId after) {
  const std::size_t before = sums_[stage].size();
  add_sum_over(stage, teams_.dense[stage], parameters.dense, of, after);
  add_sum_over(stage, teams_.experts[stage], parameters.expert, of, after);
  return {sums_[stage].begin() + static_cast<std::ptrdiff_t>(before), sums_[stage].end()};
}

void StageGradients::add_sum_over(std::uint32_t stage, const StageCopies& copies, double parameters,
                                  const std::string& of, TaskId after) {
  if (parameters == 0 || copies.count == 1)
    return;
  const Bytes size{parameters * job_.gradient_bytes};
  const Bytes sent = size / job_.gradients.ratio;
  CommunicationOptions options{.stream = teams_.gradients,
                               .team = copies.all,
                               .overhead = job_.gradients.of_sum(size, copies.count),
                               .phase = "gradients",
                               .after = {after}};
  if (job_.shares_in_parts()) {  // among neighbours, then with their counterparts
    options.team = copies.shard;
    const TaskId scattered = builder_.reduce_scatter(of, sent, options);
    sums_[stage].push_back(builder_.all_reduce(of, sent / copies.sharers,
                                               {.stream = teams_.gradients,
                                                .team = copies.replicas,
                                                .phase = "gradients",
                                                .after = {scattered}}));
    return;
  }
  sums_[stage].push_back(job_.shares_all() ? builder_.reduce_scatter(of, sent, options)
                                           : builder_.all_reduce(of, sent, options));
}

void StageGradients::add_sums_of_stages(const std::vector<TaskId>& last) {
  if (job_.order.both_ways)
    add_sums_of_both(last);
  else
    add_sum_of_tied(last);
}

// Parts that stages i and p - 1 - i both hold: their copies are all that both have.
void StageGradients::add_sums_of_both(const std::vector<TaskId>& last) {
  for (std::uint32_t stage = 0; 2 * stage < job_.order.stages; ++stage) {
    const std::uint32_t other = job_.order.stages - 1 - stage;
    const RankParameters held = stage_parameters(job_, stage);
    const auto sum = [&](const char* of, double parameters, const Team& one, const Team& two) {
      if (parameters == 0)
        return;
      const Bytes size{parameters * job_.gradient_bytes};
      const TeamId team = builder_.team(together(one, two));
      const TaskId summed =
          builder_.all_reduce(of, size / job_.gradients.ratio,
                              {.stream = teams_.gradients,
                               .team = team,
                               .overhead = job_.gradients.of_sum(size, 2 * one.group_size()),
                               .phase = "gradients",
                               .after = {last[stage], last[other]}});
      sums_[stage].push_back(summed);
      sums_[other].push_back(summed);
    };
    sum("both directions", held.dense, copies_team(job_.layout, stage),
        copies_team(job_.layout, other));
    sum("experts", held.expert, expert_copies_team(job_.layout, stage),
        expert_copies_team(job_.layout, other));
  }
}

// First and last stage hold the matrix of embedding and head each.
TaskId StageGradients::add_sum_of_tied(const std::vector<TaskId>& last) {
  const std::uint32_t head = stage_of(job_.order, job_.order.parts() - 1);
  if (job_.tied == 0 || job_.order.stages == 1 || head == 0)
    return kNone;
  std::vector<TaskId> after{last.front(), last[head]};
  for (const std::uint32_t stage : {0U, head})
    after.insert(after.end(), sums_[stage].begin(), sums_[stage].end());
  const TaskId summed =
      builder_.all_reduce("embedding and head", Bytes{job_.tied * job_.gradient_bytes},
                          {.stream = teams_.gradients,
                           .team = teams_.between(0, head),
                           .phase = "gradients",
                           .after = after});
  sums_[0].push_back(summed);
  sums_[head].push_back(summed);
  return summed;
}

void StageGradients::add_updates(const std::vector<TaskId>& first, const std::vector<TaskId>& last,
                                 const std::vector<std::pair<std::uint32_t, TaskId>>& first_gathers,
                                 const std::vector<AwaitedUnit>& awaited) {
  const bool has_norm = job_.norm_barrier && builder_.cluster().ranks() > 1;
  const TaskId norm = has_norm ? add_norm(last) : kNone;
  for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage) {
    const RankParameters held = stage_parameters(job_, stage);
    std::vector<TaskId> done = sums_[stage];
    if (norm != kNone)
      done.push_back(norm);
    const TaskId update = add_update(stage, done);
    if (job_.zero == 3 && job_.has_copies()) {
      for (const auto& [of_stage, gathered] : first_gathers)
        if (of_stage == stage)
          builder_.next_after(gathered, {update});
    } else if (job_.awaits_blocks()) {
      for (const AwaitedUnit& unit : awaited)
        if (unit.stage == stage)
          gather_unit(unit, update);
    } else if (job_.zero > 0 && job_.has_copies()) {
      gather_updated(stage, held, update, first[stage]);
    }
  }
}

TaskId StageGradients::add_norm(const std::vector<TaskId>& last) {
  std::vector<TaskId> all = last;
  for (const auto& of_stage : sums_)
    all.insert(all.end(), of_stage.begin(), of_stage.end());
  return builder_.all_reduce("norm", Bytes{4},
                             {.stream = teams_.gradients,
                              .overhead = job_.norm,
                              .fusable = false,
                              .phase = "gradients",
                              .after = all});
}

TaskId StageGradients::add_update(std::uint32_t stage, const std::vector<TaskId>& after) {
  const TaskId update = builder_.compute("update", update_time(job_, stage, moves_),
                                         {.phase = "update", .team = teams_.tensor[stage]});
  builder_.after(update, after);
  return update;
}

// Gathers the updated parameters of a unit among those that share them.
void StageGradients::gather_unit(const AwaitedUnit& awaited, TaskId update) {
  const ModelUnit& unit = job_.units[awaited.unit];
  const RankParameters own = leaving(unit);
  const auto gather = [&](const StageCopies& copies, Bytes size) {
    if (size == Bytes{} || copies.sharers == 1)
      return;
    const TaskId gathered = builder_.all_gather(unit.name, size,
                                                {.stream = teams_.parameters,
                                                 .team = copies.shard,
                                                 .phase = "parameters",
                                                 .after = {update}});
    builder_.next_after(awaited.waits, {gathered});
  };
  const StageCopies& dense = teams_.dense[awaited.stage];
  const StageCopies& experts = teams_.experts[awaited.stage];
  const double share = own.dense / std::max(1.0, stage_parameters(job_, awaited.stage).dense);
  gather(dense, gathered_size(job_, awaited.stage, element_) * share);
  gather(experts, element_ * own.expert);
}

void StageGradients::gather_updated(std::uint32_t stage, const RankParameters& held, TaskId update,
                                    TaskId first) {
  const auto gather = [&](const StageCopies& copies, Bytes size) {
    if (size == Bytes{} || copies.sharers == 1)
      return;
    CommunicationOptions options{.stream = teams_.parameters,
                                 .team = copies.shard,
                                 .phase = "parameters",
                                 .after = {update}};
    TaskId gathered = kNone;
    if (!job_.by_broadcasts)
      gathered = builder_.all_gather("updated", size, options);
    else
      for (options.root = 0; options.root < copies.sharers; ++options.root)
        gathered = builder_.broadcast("updated", size / copies.sharers, options);
    builder_.next_after(first, {gathered});
  };
  gather(teams_.dense[stage], gathered_size(job_, stage, element_));
  gather(teams_.experts[stage], element_ * held.expert);
}

}  // namespace stepcast
