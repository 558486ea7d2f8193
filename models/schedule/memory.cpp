#include "models/schedule/memory.hpp"

#include <algorithm>
#include <variant>

#include "models/schedule/options.hpp"

namespace stepcast {
namespace {

constexpr const char* kOptimiser = "optimiser";
constexpr const char* kByModel = "auto";
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

using Sizes = std::vector<Bytes>;

/// Of what the tasks of each training step reduce.
std::vector<Sizes> reduced_sizes(const Plan& plan) {
  std::vector<Sizes> steps(1);
  auto next = plan.later_steps.begin();
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    while (next != plan.later_steps.end() && *next < id)
      ++next;  // steps that come again
    if (next != plan.later_steps.end() && *next == id) {
      steps.emplace_back();
      ++next;
    }
    const Task& task = plan.graph.task(id);
    if (task.kind != TaskKind::Communication)
      continue;
    const Collective& collective = plan.collectives[task.collective].collective;
    if (reduces(collective))
      steps.back().push_back(collective.size);
  }
  return steps;
}

Sizes gradient_sizes(const Workload& workload) {
  Sizes sizes;
  for (const Layer& layer : workload.layers)
    for (const Parameter& parameter : layer.parameters)
      sizes.push_back(size_of(parameter));
  return sizes;
}

// A communication that is not of one gradient goes through a buffer of its own.
Bytes fused_size(const Sizes& reduced, const Sizes& gradients) {
  if (reduced.size() >= gradients.size())
    return {};
  Bytes fused{};
  for (const Bytes size : reduced)
    if (std::ranges::find(gradients, size) == gradients.end())
      fused += size;
  return fused;
}

// Of the training step that needs most. Horovod packs at run time into one buffer.
Bytes fused_size(const Plan& plan, const Workload& workload) {
  for (const Stream& stream : plan.streams)
    if (const auto* negotiated = std::get_if<Negotiated>(&stream.rule))
      return std::min(negotiated->fusion, parameter_size(workload));
  const Sizes gradients = gradient_sizes(workload);
  Bytes most{};
  for (const Sizes& reduced : reduced_sizes(plan))
    most = std::max(most, fused_size(reduced, gradients));
  return most;
}

void add_activations(MemoryUse& use, const Workload& workload) {
  for (const Layer& layer : workload.layers) {
    use.activations += layer.activation;
    use.activations_known = use.activations_known && layer.activation > Bytes{};
  }
}

}  // namespace

OptionInfo optimiser_option() {
  return choice_option(kOptimiser, kByModel,
                       "whose state takes memory: none, sgd (with momentum), adam, or auto: adam "
                       "for transformers and recorded pipelines, else sgd",
                       {kByModel, "none", kUsualOptimiser, "adam"});
}

void resolve_optimiser(ScheduleOptions& options, const Workload& workload) {
  if (const auto found = options.find(kOptimiser);
      found != options.end() && found->second == kByModel)
    found->second = workload.transformer || workload.pipeline ? "adam" : kUsualOptimiser;
}

const std::string& optimiser_of(const OptionReader& read) {
  return read.text(kOptimiser);
}

MemoryUse usual_memory(const Plan& plan, const Workload& workload, const Cluster& cluster,
                       const std::string& optimiser) {
  MemoryUse use{.parameters = parameter_size(workload),
                .gradients = parameter_size(workload),
                .optimiser = optimiser_state(workload, optimiser)};
  add_activations(use, workload);
  if (cluster.ranks() > 1) {
    use.fusion_buffers = fused_size(plan, workload);
    use.communication_buffers = kBuffersOfAStream * static_cast<double>(plan.streams.size() - 1);
  }
  return use;
}

MemoryUse larger_of(const MemoryUse& left, const MemoryUse& right) {
  MemoryUse larger = left;
  const auto keep = [](auto& mine, const auto& other) { mine = std::max(mine, other); };
  std::apply(
      [&](auto&... mine) {
        std::apply([&](const auto&... other) { (keep(mine, other), ...); }, fields_of(right));
      },
      fields_of(larger));
  return larger;
}

}  // namespace stepcast
