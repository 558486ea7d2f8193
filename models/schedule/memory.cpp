#include "models/schedule/memory.hpp"

#include <algorithm>
#include <variant>

#include "models/schedule/layer_units.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/registry.hpp"

namespace stepcast {
namespace {

constexpr const char* kOptimiser = "optimiser";
// Assumed of NCCL: 4 MiB for sending and 4 MiB for receiving in each of 2 channels.
constexpr Bytes kBuffersOfAStream{16.0 * 1024 * 1024};

double fp32_values_of(const Parameter& parameter, const std::string& optimiser) {
  const double state = optimiser == "adam" ? 2 : optimiser == "sgd" ? 1 : 0;
  const double master = size_of(parameter.dtype) < Bytes{4} ? 1 : 0;
  return static_cast<double>(parameter.elements) * (state + master);
}

Bytes optimiser_state(const Workload& workload, const std::string& optimiser) {
  Bytes sum{};
  for (const Layer& layer : workload.layers)
    for (const Parameter& parameter : layer.parameters)
      sum += fp32_values_of(parameter, optimiser) * size_of(DataType::Float32);
  return sum;
}

bool reduces(const Collective& collective) {
  return collective.kind == CollectiveKind::AllReduce ||
         collective.kind == CollectiveKind::ReduceScatter ||
         collective.kind == CollectiveKind::Reduce;
}

/// The collectives of the tasks of one training step.
using StepCollectives = std::vector<Collective>;

std::vector<StepCollectives> collectives_by_step(const Plan& plan) {
  std::vector<StepCollectives> steps(1);
  auto next = plan.later_steps.begin();
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    if (next != plan.later_steps.end() && *next == id) {
      steps.emplace_back();
      ++next;
    }
    if (const Task& task = plan.graph.task(id); task.kind == TaskKind::Communication)
      steps.back().push_back(plan.collectives[task.collective].collective);
  }
  return steps;
}

std::vector<Bytes> reduced_sizes(const StepCollectives& step) {
  std::vector<Bytes> sizes;
  for (const Collective& collective : step)
    if (reduces(collective))
      sizes.push_back(collective.size);
  return sizes;
}

// A communication that is not of one gradient goes through a buffer of its own.
Bytes fused_size(const std::vector<Bytes>& sizes, const std::vector<Gradient>& gradients) {
  if (sizes.size() >= gradients.size())
    return {};
  Bytes fused{};
  for (const Bytes size : sizes)
    if (std::ranges::find(gradients, size, &Gradient::size) == gradients.end())
      fused += size;
  return fused;
}

// Of the training step that needs most. Horovod packs at run time into one buffer.
Bytes fused_size(const Plan& plan, const Workload& workload) {
  for (const Stream& stream : plan.streams)
    if (const auto* negotiated = std::get_if<Negotiated>(&stream.rule))
      return std::min(negotiated->fusion, parameter_size(workload));
  const auto gradients = gradients_in_ready_order(workload);
  Bytes most{};
  for (const StepCollectives& step : collectives_by_step(plan))
    most = std::max(most, fused_size(reduced_sizes(step), gradients));
  return most;
}

// Each stage also shards what the stage before does. Gathered or reduced units are buffers: those
// ahead, the one in use, the one being reduced.
void shard(MemoryUse& use, const Workload& workload, const Cluster& cluster,
           const OptionReader& read) {
  const std::uint32_t stage = read.count("stage", 1);
  const double ranks = cluster.ranks();
  Bytes largest{};
  for (const LayerUnit& unit : layer_units(workload, read.size("unit")))
    largest = std::max(largest, unit.size);
  use.fusion_buffers = largest * (stage == 3 ? read.count("prefetch", 0) + 2.0 : 1.0);
  use.optimiser = use.optimiser / ranks;
  if (stage >= 2)
    use.gradients = use.gradients / ranks;
  if (stage >= 3)
    use.parameters = use.parameters / ranks;
}

// Everything that is gathered or exchanged in a training step has a buffer of its own until the
// update: of the step that needs most.
Bytes received_size(const Plan& plan) {
  Bytes most{};
  for (const StepCollectives& step : collectives_by_step(plan)) {
    Bytes sum{};
    for (const Collective& collective : step)
      if (collective.kind == CollectiveKind::AllGather ||
          collective.kind == CollectiveKind::AllToAll)
        sum += collective.size;
    most = std::max(most, sum);
  }
  return most;
}

void add_compression(MemoryUse& use, const Plan& plan, const Workload& workload,
                     const ScheduleOptions& options) {
  use.fusion_buffers += received_size(plan);
  const auto feedback = options.find("error_feedback");
  if (feedback == options.end() || feedback->second == "yes")
    use.residuals = size_of(DataType::Float32) * static_cast<double>(parameter_count(workload));
}

void add_activations(MemoryUse& use, const Workload& workload) {
  for (const Layer& layer : workload.layers) {
    use.activations += layer.activation;
    use.activations_known = use.activations_known && layer.activation > Bytes{};
  }
}

}  // namespace

OptionInfo optimiser_option() {
  return {.name = kOptimiser,
          .default_value = "sgd",
          .meaning = "whose state takes memory: none, sgd (with momentum) or adam"};
}

void check_optimiser(const std::string& schedule, const ScheduleOptions& options) {
  OptionReader(schedule, options).choice(kOptimiser, {"none", "sgd", "adam"});
}

MemoryUse memory_of(const Plan& plan, const Workload& workload, const Cluster& cluster,
                    const ScheduleOptions& options) {
  MemoryUse use{.parameters = parameter_size(workload), .gradients = parameter_size(workload)};
  const auto optimiser = options.find(kOptimiser);
  use.optimiser = optimiser_state(workload, optimiser == options.end() ? "sgd" : optimiser->second);
  add_activations(use, workload);
  use.factors = plan.second_order.factors;
  use.inverses = plan.second_order.inverses;
  use.kept_by_hooks = plan.second_order.kept_by_hooks;
  use.preconditioned = plan.second_order.preconditioned;
  if (cluster.ranks() > 1) {
    use.fusion_buffers = fused_size(plan, workload);
    use.communication_buffers = kBuffersOfAStream * static_cast<double>(plan.streams.size() - 1);
  }
  if (plan.schedule == "zero")
    shard(use, workload, cluster, OptionReader("zero", options));
  if (is_compressed(plan.schedule))
    add_compression(use, plan, workload, options);
  return use;
}

}  // namespace stepcast
