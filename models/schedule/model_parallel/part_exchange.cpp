#include "models/schedule/model_parallel/part_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "models/schedule/replicas.hpp"

namespace stepcast {
namespace {

bool is_pass(const Task& task) {
  return task.kind == TaskKind::Forward || task.kind == TaskKind::Backward;
}

// What is gathered or broadcast has been reduced before.
bool hands_out(const Plan& plan, const Task& task) {
  const CollectiveKind kind = plan.collectives[task.collective].collective.kind;
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::Broadcast;
}

// Layers of the passes in plan order: 0, 1, .., n - 1, then n - 1, .., 0.
bool is_single_step(const Plan& plan) {
  std::vector<std::pair<TaskKind, LayerId>> passes;
  for (const Task& task : plan.graph.tasks())
    if (is_pass(task))
      passes.emplace_back(task.kind, task.layer);
  const auto layers = static_cast<LayerId>(passes.size() / 2);
  for (LayerId i = 0; i < layers; ++i)
    if (passes[i] != std::pair{TaskKind::Forward, i} ||
        passes[2 * layers - 1 - i] != std::pair{TaskKind::Backward, i})
      return false;
  return passes.size() % 2 == 0 && plan.later_steps.empty() && plan.summary.passes == 1;
}

DataType dtype_of(const Workload& workload) {
  for (const Layer& layer : workload.layers)
    if (!layer.parameters.empty())
      return layer.parameters.front().dtype;
  return DataType::Float32;
}

// The parameters of a layer of which a rank holds so many elements.
void hold(Layer& layer, double elements, DataType dtype) {
  const auto whole = static_cast<double>(parameter_count(layer));
  if (whole == std::floor(elements))
    return;
  if (whole == 0) {
    layer.parameters = {
        {.name = "weights", .elements = static_cast<std::uint64_t>(elements), .dtype = dtype}};
    return;
  }
  for (Parameter& parameter : layer.parameters)
    parameter.elements =
        static_cast<std::uint64_t>(static_cast<double>(parameter.elements) * elements / whole);
}

// The layers of a part as one rank of its stage holds them, with the passes of a micro-batch.
Workload part_workload(const HybridJob& job, const Workload& whole, std::uint32_t part) {
  const auto all = static_cast<double>(parameter_count(whole));
  const DataType dtype = dtype_of(whole);
  Workload workload = whole;
  workload.layers.clear();
  workload.edges.clear();
  for (std::size_t i = job.first_unit[part]; i < job.first_unit[part + 1]; ++i) {
    const ModelUnit& unit = job.units[i];
    Layer layer = whole.layers[i];
    layer.forward = unit.compute.forward;
    layer.backward = time_of(PassKind::Backward, unit.compute);
    hold(layer, leaving_parameters(job, unit) + unit.expert_parameters, dtype);
    workload.layers.push_back(std::move(layer));
  }
  const auto held = static_cast<double>(parameter_count(workload));
  if (whole.transformer)
    workload.update =
        Bytes{held * job.settings.optimiser_bytes} / whole.transformer->law.elementwise;
  else if (all > 0)
    workload.update = whole.update * (held / all);
  return workload;
}

}  // namespace

PartExchange::PartExchange(Plan plan, PartReplicas replicas, Builder& builder,
                           ExchangeStreams& streams)
    : plan_(std::move(plan)),
      replicas_(std::move(replicas)),
      builder_(builder),
      teams_(plan_.teams.size(), kNone),
      written_(plan_.graph.size()) {
  if (!is_single_step(plan_))
    throw InputError(plan_.schedule +
                     ": expected one forward pass, then one backward pass in every training step");
  if (plan_.summary.workers != replicas_.copies.group_size())
    throw InputError(plan_.schedule + ": expected an exchange in which all ranks train");
  for (const Stream& stream : plan_.streams) {
    const auto [known, is_new] = streams.try_emplace(stream.name, 0);
    if (is_new && !streams_.empty())
      known->second = builder.stream(stream.name, stream.rule);
    streams_.push_back(known->second);
  }
  for (TaskId id = 0; id < plan_.graph.size(); ++id)
    if (is_pass(plan_.graph.task(id)))
      passes_end_ = id + 1;
}

TeamId PartExchange::team_of(const Task& task) {
  if (task.team == 0)
    return task.kind == TaskKind::Communication ? replicas_.all : replicas_.computes;
  TeamId& team = teams_[task.team];
  if (team == kNone)
    team = builder_.team(team_of_replicas(replicas_.copies, plan_.teams[task.team]));
  return team;
}

void PartExchange::write() {
  const Task& task = plan_.graph.task(next_);
  const TaskId id = builder_.copy(plan_, next_, streams_[task.stream], team_of(task));
  written_[next_++] = {id, id};
}

void PartExchange::write_until_pass() {
  while (next_ < passes_end_ && !is_pass(plan_.graph.task(next_)))
    write();
}

void PartExchange::pass(TaskId first, TaskId last) {
  written_[next_++] = {first, last};
}

void PartExchange::write_last_communication() {
  while (next_ < plan_.graph.size() && plan_.graph.task(next_).stream != 0)
    write();
}

void PartExchange::write_rest() {
  while (next_ < plan_.graph.size())
    write();
}

void PartExchange::add_dependencies() {
  for (const auto& [before, after] : plan_.graph.edges())
    builder_.after(written_[after].first, {written_[before].last});
  for (const auto& [before, after] : plan_.next)
    builder_.next_after(written_[after].first, {written_[before].last});
  for (const LaterEdge& edge : plan_.later)
    builder_.later_after(written_[edge.after].first, written_[edge.before].last, edge.iterations);
  for (const Quorum& quorum : plan_.quorums)
    builder_.needs(written_[quorum.task].first, quorum.needed);
  for (const auto& [task, communication] : plan_.announcements)
    builder_.announce(written_[communication].first, written_[task].last);
}

void PartExchange::add_shared_sum(TaskId sum, LayerId layer) {
  for (TaskId id = 0; id < plan_.graph.size(); ++id) {
    const Task& task = plan_.graph.task(id);
    if (task.kind == TaskKind::Communication && !hands_out(plan_, task))
      builder_.after(sum, {written_[id].last});
    else if (task.kind == TaskKind::Backward && task.layer == layer)
      builder_.after(sum, {written_[id].last});
    else if (task.kind == TaskKind::Forward && task.layer == layer)
      builder_.next_after(written_[id].first, {sum});
    else if (id >= passes_end_ && task.kind == TaskKind::Update)
      builder_.after(written_[id].first, {sum});
  }
}

PartExchanges::PartExchanges(const HybridJob& job, const Workload& model, const Cluster& cluster,
                             const OptionReader& passes, const StageTeams& teams,
                             Builder& builder) try {
  const OptionReader read(job.exchange->name, job.exchange->options, job.exchange_options);
  const Workload whole = with_batch(model, job.micro_batch);
  const std::uint32_t parts = job.order.parts();
  head_ = static_cast<LayerId>(job.units.size() - job.first_unit[parts - 1]) - 1;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint32_t stage = stage_of(job.order, part);
    const Team copies = copies_team(job.layout, stage);
    Plan plan = job.exchange->build(part_workload(job, whole, part),
                                    replica_cluster(cluster, copies), read);
    if (part == 0)
      for (const Note& note : plan.notes)
        builder.note(note);
    exchanges_.emplace_back(
        std::move(plan),
        PartReplicas{
            .copies = copies, .all = teams.dense[stage].all, .computes = teams.tensor[stage]},
        builder, streams_);
  }
} catch (const InputError& error) {
  passes.fail(kExchange, error.what());
}

void PartExchanges::finish(TaskId shared_sum) {
  for (PartExchange& exchange : exchanges_)
    exchange.add_dependencies();
  if (shared_sum == kNone)
    return;
  exchanges_.front().add_shared_sum(shared_sum, 0);
  exchanges_.back().add_shared_sum(shared_sum, head_);
}

std::vector<MemoryUse> PartExchanges::memory() const {
  std::vector<MemoryUse> held;
  std::ranges::transform(exchanges_, std::back_inserter(held), &PartExchange::memory);
  return held;
}

}  // namespace stepcast
