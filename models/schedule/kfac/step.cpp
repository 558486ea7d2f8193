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

constexpr Bytes kScalar{4};

Factor factor_of(const Layer& layer, LayerId id, bool is_a, const KfacCosts& costs) {
  const std::uint32_t side = is_a ? layer.kronecker->a : layer.kronecker->g;
  return {.layer = id,
          .name = layer.name + (is_a ? " (A)" : " (G)"),
          .side = side,
          .construction = factor_time(costs, layer.kronecker->rows, side),
          .inversion = inverse_time(costs, side),
          .packing = packing_time(costs, side),
          .unpacking = unpacking_time(costs, side),
          .size = packed_size(side)};
}

std::vector<Factor> factors_of(const std::string& schedule, const Workload& workload,
                               const KfacCosts& costs) {
  std::vector<Factor> factors;
  for (LayerId id = 0; id < workload.layers.size(); ++id)
    if (workload.layers[id].kronecker)
      for (const bool is_a : {true, false})
        factors.push_back(factor_of(workload.layers[id], id, is_a, costs));
  if (factors.empty())
    throw InputError(
        fmt::format("{}: workload {}: expected layers with \"kronecker\": {{\"a\", \"g\", "
                    "\"rows\"}}, found none",
                    schedule, workload.name));
  return factors;
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
      constructed_(factors_.size(), kNone),
      inverted_(factors_.size(), kNone),
      preconditioned_(layers(), kNone) {
  horovod_ = builder_.stream("horovod", rule_);
}

void Step::reduce_without_horovod() {
  group_stream_ = builder_.stream("reductions");
}

Seconds Step::time_before(std::size_t factor) const {
  const auto& layers = builder_.workload().layers;
  const LayerId layer = factors_[factor].layer;
  Seconds time = factors_[factor].construction + factors_[factor].packing;
  if (factor % 2 == 0)
    for (LayerId id = factor == 0 ? 0 : factors_[factor - 2].layer; id < layer; ++id)
      time += layers[id].forward;
  else
    for (LayerId id = layer;
         id < (factor + 2 < factors_.size() ? factors_[factor + 2].layer : layers.size()); ++id)
      time += layers[id].backward;
  return time;
}

void Step::passes(const std::function<void(std::size_t factor)>& hook) {
  const auto& layers = builder_.workload().layers;
  std::uint32_t kfac_layer = 0;
  for (LayerId id = 0; id < layers.size(); ++id) {
    if (layers[id].kronecker)
      hook(2 * kfac_layer++);
    backward_begin_ = latest_everywhere_ = builder_.forward(id);
  }
  if (parts_.gradient_communication)
    average_metrics();
  std::vector<TaskId> backward(layers.size());
  for (auto id = static_cast<LayerId>(layers.size()); id-- > 0;) {
    backward[id] = latest_everywhere_ = builder_.backward(id);
    if (layers[id].kronecker)
      hook(2 * --kfac_layer + 1);
  }
  if (!parts_.gradient_communication)
    return;
  if (run_ahead_)
    all_reduce_gradients(backward);
  else
    all_reduce_when_ready(backward);
}

// One after the other, and the host waits for each: so does the backward pass.
void Step::average_metrics() {
  for (std::uint32_t i = 0; i < metrics_; ++i) {
    CommunicationOptions options = all_reduce_options();
    options.fusable = false;
    const TaskId task = builder_.all_reduce("metric of training", kScalar, options);
    builder_.after(task, {backward_begin_});
    std::vector<TaskId> pending{task};
    backward_begin_ = wait("update of metrics", pending);
  }
}

void Step::all_reduce_when_ready(std::span<const TaskId> backward) {
  for (const Gradient& gradient : gradients_in_ready_order(builder_.workload())) {
    gradients_.push_back(
        builder_.all_reduce("gradient of " + gradient.name, gradient.size, all_reduce_options()));
    builder_.after(gradients_.back(), {backward[gradient.layer]});
  }
}

// The host issues the backward pass ahead of the GPU, so Horovod knows of all gradients early; a
// fused buffer starts when the last of its gradients is there.
void Step::all_reduce_gradients(std::span<const TaskId> backward) {
  const auto gradients = gradients_in_ready_order(builder_.workload());
  const TaskId negotiated = builder_.compute(
      "negotiation of gradients", rule_.per_tensor * static_cast<double>(gradients.size()), 0,
      builder_.stream("coordinator"));
  builder_.after(negotiated, {backward_begin_});
  CommunicationOptions options = all_reduce_options();
  options.fusable = false;
  Bytes filled{};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    filled += gradients[i].size;
    if (i + 1 < gradients.size() && filled + gradients[i + 1].size <= rule_.fusion)
      continue;
    gradients_.push_back(builder_.all_reduce("gradient of " + gradients[i].name + " and before",
                                             std::exchange(filled, {}), options));
    builder_.after(gradients_.back(), {negotiated, backward[gradients[i].layer]});
  }
}

TaskId Step::construct(std::size_t factor, Rank owner) {
  if (!parts_.factor_computation)
    return kNone;
  const Factor& made = factors_[factor];
  const TaskId task =
      builder_.compute("factor of " + made.name, made.construction, owner_group(owner));
  constructed_[factor] = task;
  if (owner == kEveryRank)
    latest_everywhere_ = task;
  return task;
}

TaskId Step::pack(std::span<const std::size_t> factors, GroupId group) {
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
  for (const std::size_t first : {0, 1}) {
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

void Step::invert(std::size_t factor, Rank owner) {
  if (!parts_.inverse_computation)
    return;
  const GroupId group = owner_group(owner);
  if (const auto reduced = reduced_.find(owner); reduced != reduced_.end()) {
    const Reduced received = std::exchange(reduced->second, {});
    if (!received.tasks.empty())
      builder_.after(builder_.compute("unpacking of factors", received.unpacking, group),
                     received.tasks);
  }
  inverted_[factor] =
      builder_.compute("inverse of " + factors_[factor].name, factors_[factor].inversion, group);
  if (owner == kEveryRank)
    latest_everywhere_ = inverted_[factor];
  barrier_due_ = !parts_.inverse_communication;
}

void Step::broadcast_inverses(std::span<const std::size_t> factors, Rank owner, GroupId group) {
  if (parts_.inverse_communication)
    send_inverses(factors, owner, group,
                  pack(factors, group == 0 ? GroupId{0} : owner_group(owner)));
}

void Step::broadcast_inverses_in_bulk(std::span<const Rank> owners) {
  if (!parts_.inverse_communication)
    return;
  std::vector<std::size_t> all(factors_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const TaskId packed = pack(all, 0);
  for (const std::size_t factor : all)
    send_inverses({&factor, 1}, owners[factor], 0, packed);
}

void Step::send_inverses(std::span<const std::size_t> factors, Rank owner, GroupId group,
                         TaskId packed) {
  const TaskId task = builder_.broadcast("inverse of " + name_of(factors), size_of(factors),
                                         broadcast_options(owner, group));
  builder_.after(task, {packed});
  if (group != 0 && latest_everywhere_ != kNone)
    builder_.after(task, {latest_everywhere_});
  Sent sent{.task = task, .group = group};
  for (const std::size_t factor : factors)
    sent.unpacking += factors_[factor].unpacking;
  inverses_in_flight_.push_back(sent);
}

// One is unpacked while the next is on its way.
void Step::wait_for_inverses() {
  barrier();
  for (const Sent& sent : std::exchange(inverses_in_flight_, {})) {
    const TaskId unpacked = builder_.compute("unpacking of inverse", sent.unpacking, sent.group);
    builder_.after(unpacked, {sent.task});
    if (sent.group == 0)
      latest_everywhere_ = unpacked;
  }
}

// Where the protocol of the authors leaves out only the communication of inverses, all ranks wait
// for the slowest.
void Step::barrier() {
  if (!std::exchange(barrier_due_, false))
    return;
  const TaskId done = builder_.compute("inverse of all factors", {});
  CommunicationOptions options = all_reduce_options();
  options.fusable = false;
  const TaskId task = builder_.all_reduce("inverse of barrier", kScalar, options);
  builder_.after(task, {done});
  std::vector<TaskId> pending{task};
  wait("inverse of all factors", pending);
}

void Step::precondition(std::uint32_t layer, GroupId group) {
  if (!parts_.preconditioning)
    return;
  const Layer& made = builder_.workload().layers[factors_[2 * layer].layer];
  preconditioned_[layer] =
      builder_.compute("preconditioning of " + made.name,
                       precondition_time(costs_, made.kronecker->a, made.kronecker->g), group);
}

void Step::broadcast_gradient(std::uint32_t layer, Rank owner, GroupId group) {
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
  return std::move(builder_).build();
}

GroupId Step::group_of(const std::vector<Rank>& ranks) {
  if (ranks.size() == this->ranks())
    return 0;
  const auto [found, is_new] = groups_.try_emplace(ranks, GroupId{0});
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

GroupId Step::owner_group(Rank owner) {
  return owner == kEveryRank ? GroupId{0} : group_of({owner});
}

std::uint32_t Step::index_in(GroupId group, Rank rank) const {
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

CommunicationOptions Step::broadcast_options(Rank owner, GroupId group) {
  if (group != 0 && group_stream_ == 0)
    group_stream_ = builder_.stream("groups");
  return {.stream = group == 0 ? horovod_ : group_stream_,
          .algorithm = broadcast_algorithm_,
          .group = group,
          .root = index_in(group, owner)};
}

}  // namespace stepcast::kfac
