#include "models/schedule/kfac/step.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
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

Negotiated horovod_rule(const Cluster& cluster, const OptionReader& read) {
  const Software& software = cluster.software;
  return {.cycle = read.time_or("cycle", software.horovod_cycle),
          .per_cycle = read.time_or("negotiation_per_cycle", software.negotiation_per_cycle) +
                       read.time_or("negotiation_per_rank", {}) * cluster.ranks(),
          .per_tensor = read.time_or("negotiation_per_tensor",
                                     software.negotiation_per_request * cluster.ranks()),
          .fusion = read.size_or("fusion_buffer", software.horovod_fusion)};
}

// Each is a task of the plan.
std::uint32_t metrics_of(const OptionReader& read) {
  constexpr std::uint32_t kMost = 1024;
  const std::uint32_t metrics = read.count("metrics", 0);
  if (metrics > kMost)
    read.fail("metrics",
              fmt::format("expected a whole number from 0 to {}, found {}", kMost, metrics));
  return metrics;
}

}  // namespace

Step::Step(const std::string& schedule, const Workload& workload, const Cluster& cluster,
           const OptionReader& read)
    : builder_(schedule, workload, cluster),
      costs_(costs_of(schedule, workload)),
      parts_(parts_of(read)),
      algorithm_(read.algorithm("algorithm", CollectiveKind::AllReduce)),
      broadcast_algorithm_(read.algorithm("broadcast_algorithm", CollectiveKind::Broadcast)),
      rule_(horovod_rule(cluster, read)),
      run_ahead_(read.choice("run_ahead", {"on", "off"}) == "on"),
      metrics_(metrics_of(read)),
      factors_(factors_of(schedule, workload, costs_)),
      kept_factors_(cluster.ranks(), factors_),
      kept_inverses_(cluster.ranks(), factors_),
      preconditioned_(layers(), kNone) {
  horovod_ = builder_.stream("horovod", rule_);
}

void Step::reduce_without_horovod() {
  group_stream_ = builder_.stream("reductions");
}

TaskId Step::construct(std::size_t factor, Rank owner) {
  if (!parts_.factor_computation)
    return kNone;
  const Factor& made = factors_[factor];
  const TeamId group = owner_group(owner);
  const TaskId task = builder_.compute("factor of " + made.name, made.construction, group);
  kept_factors_.add(members_[group], factor);
  if (construction_ == Construction::None)
    construction_ = backward_begun_ ? Construction::AfterPasses : Construction::WithinPasses;
  if (owner == kEveryRank)
    latest_everywhere_ = task;
  return task;
}

TaskId Step::pack(std::span<const std::size_t> factors, TeamId group) {
  Seconds time{};
  for (const std::size_t factor : factors)
    time += factors_[factor].packing;
  const TaskId task = builder_.compute("packing of " + name_of(factors), time, group);
  if (group == 0)
    latest_everywhere_ = task;
  return task;
}

void Step::all_reduce_factors(std::span<const std::size_t> factors, bool fusable) {
  if (!parts_.factor_communication)
    return;
  CommunicationOptions options = all_reduce_options();
  options.fusable = fusable;
  const TaskId packed = pack(factors, 0);
  const TaskId task =
      builder_.all_reduce("factor of " + name_of(factors), size_of(factors), options);
  builder_.after(task, {packed});
  factors_in_flight_[factors.front() % 2].push_back(task);
}

void Step::reduce_factors(std::span<const std::size_t> factors, Rank owner) {
  if (!parts_.factor_communication)
    return;
  const TaskId packed = pack(factors, 0);
  CommunicationOptions options = broadcast_options(owner, 0);
  if (group_stream_ != 0)
    options.stream = group_stream_;
  const TaskId task = builder_.reduce("factor of " + name_of(factors), size_of(factors), options);
  builder_.after(task, {packed});
  Reduced& reduced = reduced_[owner];
  reduced.tasks.push_back(task);
  for (const std::size_t factor : factors)
    reduced.unpacking += factors_[factor].unpacking;
}

void Step::wait_for_gradients() {
  wait("update of gradients", gradients_);
}

// All A are unpacked before G is waited for.
void Step::wait_for_factors() {
  for (const std::size_t first : {0U, 1U}) {
    if (factors_in_flight_[first].empty())
      continue;
    wait("inverse of all factors", factors_in_flight_[first]);
    unpack_factors(first);
  }
}

void Step::unpack_factors(std::size_t first) {
  Seconds time{};
  for (std::size_t factor = first; factor < factors_.size(); factor += 2)
    time += factors_[factor].unpacking;
  latest_everywhere_ = builder_.compute("unpacking of factors", time);
}

void Step::precondition(std::uint32_t layer, TeamId group) {
  if (!parts_.preconditioning)
    return;
  const Layer& made = builder_.workload().layers[factors_[2 * layer].layer];
  preconditioned_[layer] =
      builder_.compute("preconditioning of " + made.name,
                       precondition_time(costs_, made.kronecker->a, made.kronecker->g), group);
}

void Step::broadcast_gradient(std::uint32_t layer, Rank owner, TeamId group) {
  if (!parts_.result_communication)
    return;
  const Layer& sent = builder_.workload().layers[factors_[2 * layer].layer];
  const double elements = static_cast<double>(sent.kronecker->a) * sent.kronecker->g;
  const TaskId task = builder_.broadcast("preconditioned gradient of " + sent.name, {4 * elements},
                                         broadcast_options(owner, group));
  builder_.after(task, {preconditioned_[layer]});
  if (latest_everywhere_ != kNone)
    builder_.after(task, {latest_everywhere_});
  results_in_flight_.push_back(task);
}

Plan Step::finish() && {
  wait("update of gradients", gradients_);
  wait_for_factors();
  for (auto& [owner, reduced] : reduced_)
    wait("update of factors", reduced.tasks);
  wait_for_inverses();
  wait("update of preconditioned gradients", results_in_flight_);
  if (parts_.preconditioning)
    builder_.compute("preconditioning of all layers: KL clip", kl_clip_time(costs_));
  builder_.update("update");
  const Workload& workload = builder_.workload();
  Plan plan = std::move(builder_).build();
  plan.second_order = held_beside_matrices(workload, construction_);
  plan.second_order.factors = kept_factors_.most();
  plan.second_order.inverses = kept_inverses_.most();
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

TaskId Step::wait(const char* label, std::vector<TaskId>& pending) {
  if (pending.empty())
    return kNone;
  latest_everywhere_ = builder_.compute(label, {});
  builder_.after(latest_everywhere_, std::exchange(pending, {}));
  return latest_everywhere_;
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

CommunicationOptions Step::all_reduce_options() const {
  return {.stream = horovod_, .algorithm = algorithm_};
}

CommunicationOptions Step::broadcast_options(Rank owner, TeamId group) {
  if (group != 0 && group_stream_ == 0)
    group_stream_ = builder_.stream("groups");
  return {.stream = group == 0 ? horovod_ : group_stream_,
          .algorithm = broadcast_algorithm_,
          .team = group,
          .root = index_in(group, owner)};
}

}  // namespace stepcast::kfac
