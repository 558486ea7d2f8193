#include "models/schedule/kfac/step.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/data_parallel/horovod_thread.hpp"
#include "models/schedule/passes.hpp"

namespace stepcast::kfac {
namespace {

const KfacCosts& costs_of(const std::string& schedule, const Workload& workload) {
  if (!workload.kfac)
    throw InputError(
        fmt::format("{}: no K-FAC costs of device \"{}\" (workload {}): expected a file "
                    "traces/hardware/{}-kfac.json",
                    schedule, workload.device, workload.name, workload.device));
  return *workload.kfac;
}

}  // namespace

Step::Step(const Workload& workload, const Cluster& cluster, const OptionReader& read)
    : builder_(read, workload, cluster),
      costs_(costs_of(read.schedule(), workload)),
      parts_(parts_of(read)),
      algorithm_(read.algorithm()),
      broadcast_algorithm_(read.algorithm("broadcast_algorithm")),
      rule_(horovod_rule(cluster, read)),
      run_ahead_(host_runs_ahead(read)),
      metrics_(read.count("metrics")),
      factors_(factors_of(read.schedule(), workload, costs_)),
      kept_factors_(cluster.ranks(), factors_),
      kept_inverses_(cluster.ranks(), factors_) {
  horovod_ = builder_.stream("horovod", rule_);
}

void Step::reduce_without_horovod() {
  group_stream_ = builder_.stream("reductions");
}

void Step::construct(std::size_t factor, Rank owner) {
  if (!parts_.factor_computation)
    return;
  const Factor& made = factors_[factor];
  const TeamId group = owner_group(owner);
  builder_.compute(kFactor, made.name, made.construction, {.team = group});
  kept_factors_.add(members_[group], factor);
  if (construction_ == Construction::None)
    construction_ = has_passed_ ? Construction::AfterPasses : Construction::WithinPasses;
}

TaskId Step::pack(std::span<const std::size_t> factors, TeamId group) {
  Seconds time{};
  for (const std::size_t factor : factors)
    time += factors_[factor].packing;
  return builder_.compute(kPacking, name_of(factors), time, {.team = group});
}

void Step::all_reduce_factors(FactorsInFlight& in_flight, std::span<const std::size_t> factors,
                              bool fusable) {
  if (!parts_.factor_communication)
    return;
  CommunicationOptions options = all_reduce_options(kFactorCommunication, fusable);
  options.after = {pack(factors, 0)};
  in_flight.of[factors.front() % 2].add(
      builder_.all_reduce("factor of " + name_of(factors), size_of(factors), options));
}

void Step::wait(FactorsInFlight& in_flight) {
  for (const std::size_t first : {0U, 1U}) {
    if (builder_.wait(in_flight.of[first]) == kNone)
      continue;
    Seconds time{};
    for (std::size_t factor = first; factor < factors_.size(); factor += 2)
      time += factors_[factor].unpacking;
    builder_.compute(kUnpacking, "factors", time);
  }
}

void Step::reduce_factors(ReducedFactors& reduced, std::span<const std::size_t> factors,
                          Rank owner) {
  if (!parts_.factor_communication)
    return;
  const TaskId packed = pack(factors, 0);
  CommunicationOptions options = broadcast_options(kFactorCommunication, owner, 0);
  if (group_stream_ != 0)
    options.stream = group_stream_;
  options.after = {packed};
  ReducedFactors::OfOwner& of_owner = reduced.by_owner[owner];
  of_owner.pending.add(builder_.reduce("factor of " + name_of(factors), size_of(factors), options));
  for (const std::size_t factor : factors)
    of_owner.unpacking += factors_[factor].unpacking;
}

void Step::receive(ReducedFactors& reduced, Rank owner) {
  const auto found = reduced.by_owner.find(owner);
  if (!parts_.inverse_computation || found == reduced.by_owner.end())
    return;
  builder_.compute(kUnpacking, "factors", found->second.unpacking,
                   {.team = owner_group(owner), .after = found->second.pending.tasks});
  reduced.by_owner.erase(found);
}

void Step::wait(ReducedFactors& reduced) {
  for (auto& [owner, of_owner] : reduced.by_owner)
    wait(of_owner.pending);
}

TaskId Step::precondition(std::uint32_t layer, TeamId group) {
  if (!parts_.preconditioning)
    return kNone;
  const Layer& made = builder_.workload().layers[factors_[2 * layer].layer];
  return builder_.compute(kPreconditioning, made.name,
                          precondition_time(costs_, made.kronecker->a, made.kronecker->g),
                          {.team = group});
}

void Step::broadcast_gradient(ResultsInFlight& in_flight, std::uint32_t layer,
                              TaskId preconditioned, Rank owner, TeamId group) {
  if (!parts_.result_communication)
    return;
  const Layer& sent = builder_.workload().layers[factors_[2 * layer].layer];
  const double elements = static_cast<double>(sent.kronecker->a) * sent.kronecker->g;
  CommunicationOptions options = broadcast_options(kResultCommunication, owner, group);
  options.after = and_all_before(preconditioned);
  in_flight.pending.add(
      builder_.broadcast("preconditioned gradient of " + sent.name, {4 * elements}, options));
}

Plan Step::finish() && {
  if (parts_.preconditioning)
    builder_.compute(kPreconditioning, "all layers: KL clip", kl_clip_time(costs_));
  builder_.update();
  const Workload& workload = builder_.workload();
  Plan plan = std::move(builder_).build();
  hold_beside_matrices(plan.memory, workload, construction_);
  plan.memory.factors = kept_factors_.most();
  plan.memory.inverses = kept_inverses_.most();
  return plan;
}

TeamId Step::group_of(const std::vector<Rank>& ranks) {
  if (ranks.size() == this->ranks())
    return 0;
  const auto [found, is_new] = groups_.try_emplace(ranks, TeamId{0});
  if (is_new) {
    found->second = builder_.group(ranks);
    members_.push_back(ranks);
  }
  return found->second;
}

TeamId Step::team_of_rows(std::vector<Group> rows) {
  if (rows.size() == 1)
    return group_of(rows.front().ranks);
  members_.push_back(rows.front().ranks);
  return builder_.team(team_of(std::move(rows)));
}

// A communicator of its own moves nothing before all its ranks are there.
std::vector<TaskId> Step::and_all_before(TaskId task) const {
  const TaskId last = builder_.last_everywhere();
  return last == kNone ? std::vector{task} : std::vector{task, last};
}

TeamId Step::owner_group(Rank owner) {
  return owner == kEveryRank ? TeamId{0} : group_of({owner});
}

std::uint32_t Step::index_in(TeamId group, Rank rank) const {
  if (group == 0)
    return rank;
  const auto found = std::ranges::find(members_[group], rank);
  return static_cast<std::uint32_t>(found - members_[group].begin());
}

std::string Step::name_of(std::span<const std::size_t> factors) const {
  const std::string& first = factors_[factors.front()].name;
  return factors.size() == 1 ? first : fmt::format("{} and {} more", first, factors.size() - 1);
}

Bytes Step::size_of(std::span<const std::size_t> factors) const {
  return std::accumulate(
      factors.begin(), factors.end(), Bytes{},
      [&](Bytes sum, std::size_t factor) { return sum + factors_[factor].size; });
}

CommunicationOptions Step::all_reduce_options(const char* phase, bool fusable) const {
  return {.stream = horovod_, .algorithm = algorithm_, .fusable = fusable, .phase = phase};
}

CommunicationOptions Step::broadcast_options(const char* phase, Rank owner, TeamId group) {
  if (group != 0 && group_stream_ == 0)
    group_stream_ = builder_.stream("groups");
  return {.stream = group == 0 ? horovod_ : group_stream_,
          .algorithm = broadcast_algorithm_,
          .team = group,
          .root = index_in(group, owner),
          .phase = phase};
}

}  // namespace stepcast::kfac
