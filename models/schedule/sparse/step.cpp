#include "models/schedule/sparse/step.hpp"

#include <utility>

#include <fmt/format.h>

namespace stepcast::sparse {

Step::Step(const Workload& workload, const Cluster& cluster, const OptionReader& read,
           const Settings& settings)
    : builder_(read, workload, cluster),
      settings_(settings),
      costs_(costs_of(read.schedule(), workload, settings_)),
      communication_(builder_.stream("communication")),
      unpacking_(builder_.stream("unpacking")) {
  if (settings_.on_own_stream)
    selection_ = builder_.stream("selection");
  builder_.note(convergence_caveat());
}

double Step::selected(const Tensor& tensor) const {
  return selected_of(settings_.density, tensor.elements);
}

double Step::united(double elements, std::uint32_t selections) const {
  return elements * union_density(settings_.density, selections, settings_.clustering);
}

Seconds Step::compression_time(const Tensor& tensor, Selection selection) const {
  Seconds time = selection_time(costs_, selection, tensor.elements) +
                 settings_.host_per_parameter * tensor.elements;
  if (settings_.error_feedback)
    time += feedback_time(costs_, tensor.elements);
  return time;
}

void Step::pass(const std::vector<Tensor>& tensors,
                const std::function<Seconds(const Tensor&)>& time, const Exchange& exchange) {
  forward_pass(builder_);
  Pending received{.phase = "update", .of = "gradients"};
  auto tensor = tensors.begin();
  for (auto layer = static_cast<LayerId>(builder_.workload().layers.size()); layer-- > 0;) {
    const TaskId backward = builder_.backward(layer);
    if (tensor == tensors.end() || tensor->last_ready != layer)
      continue;
    received.add(exchange(*tensor, compress(*tensor, time(*tensor), backward)));
    ++tensor;
  }
  builder_.update("update", received.tasks);
}

TaskId Step::compress(const Tensor& tensor, Seconds time, TaskId ready) {
  ComputeOptions options{.stream = selection_};
  if (settings_.on_own_stream)
    options.after = {ready};
  return builder_.compute("compression", tensor.label, time, options);
}

TaskId Step::all_gather_entries(const Tensor& tensor, double entries_each, TaskId ready) {
  const Encoding& encoding = settings_.encoding;
  const TaskId values = all_gather(fmt::format("values of {}", tensor.label),
                                   size_of_values(encoding, entries_each) * ranks(), ready);
  return all_gather(fmt::format("indices of {}", tensor.label),
                    size_of_indices(encoding, entries_each, tensor.elements) * ranks(), values);
}

TaskId Step::all_to_all_entries(const Tensor& tensor, double entries_each_pair, TaskId ready) {
  const Encoding& encoding = settings_.encoding;
  const double entries = entries_each_pair * ranks();
  const TaskId values = all_to_all(fmt::format("values of {}", tensor.label),
                                   size_of_values(encoding, entries), ready);
  return all_to_all(fmt::format("indices of {}", tensor.label),
                    size_of_indices(encoding, entries, tensor.elements), values);
}

TaskId Step::all_to_all(const std::string& label, Bytes size, TaskId ready,
                        std::vector<double> shares) {
  CommunicationOptions options = behind(ready);
  options.shares = std::move(shares);
  return builder_.all_to_all(label, size, options);
}

TaskId Step::all_gather(const std::string& label, Bytes size, TaskId ready,
                        std::vector<double> shares) {
  CommunicationOptions options = behind(ready);
  options.shares = std::move(shares);
  return builder_.all_gather(label, size, options);
}

TaskId Step::all_reduce(const std::string& label, Bytes size, TaskId ready) {
  return builder_.all_reduce(label, size, behind(ready));
}

TaskId Step::send(const std::string& label, Bytes size, TeamId team, TaskId ready) {
  CommunicationOptions options = behind(ready);
  options.team = team;
  return builder_.send(label, size, options);
}

TaskId Step::broadcast(const std::string& label, Bytes size, TaskId ready) {
  CommunicationOptions options = behind(ready);
  options.algorithm = Algorithm::BinomialTree;
  return builder_.broadcast(label, size, options);
}

TaskId Step::work(const char* phase, const Tensor& tensor, Seconds time, TaskId ready,
                  TeamId team) {
  return builder_.compute(phase, tensor.label, time,
                          {.team = team, .stream = unpacking_, .after = {ready}});
}

// Error feedback keeps an fp32 residual for every parameter. Everything that is gathered or
// exchanged in a training step has a buffer of its own until the update.
Plan Step::finish() && {
  const auto parameters = static_cast<double>(parameter_count(builder_.workload()));
  Plan plan = std::move(builder_).build();
  Bytes received{};
  for (const PlannedCollective& planned : plan.collectives)
    if (planned.collective.kind == CollectiveKind::AllGather ||
        planned.collective.kind == CollectiveKind::AllToAll)
      received += planned.collective.size;
  plan.memory.fusion_buffers += received;
  if (settings_.error_feedback)
    plan.memory.residuals = size_of(DataType::Float32) * parameters;
  return plan;
}

}  // namespace stepcast::sparse
