#include "models/schedule/sparse/step.hpp"

#include <utility>

#include <fmt/format.h>

namespace stepcast::sparse {

Step::Step(const std::string& schedule, const Workload& workload, const Cluster& cluster,
           const Settings& settings)
    : builder_(schedule, workload, cluster),
      settings_(settings),
      costs_(costs_of(schedule, workload, settings_)),
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
  std::vector<TaskId> received;
  auto tensor = tensors.begin();
  for (auto layer = static_cast<LayerId>(builder_.workload().layers.size()); layer-- > 0;) {
    const TaskId backward = builder_.backward(layer);
    if (tensor == tensors.end() || tensor->last_ready != layer)
      continue;
    received.push_back(exchange(*tensor, compress(*tensor, time(*tensor), backward)));
    ++tensor;
  }
  builder_.after(builder_.update("update"), received);
}

TaskId Step::compress(const Tensor& tensor, Seconds time, TaskId ready) {
  const TaskId task =
      builder_.compute(fmt::format("compression of {}", tensor.label), time, 0, selection_);
  if (settings_.on_own_stream)
    builder_.after(task, {ready});
  return task;
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
  CommunicationOptions options = communication();
  options.shares = std::move(shares);
  const TaskId task = builder_.all_to_all(label, size, options);
  builder_.after(task, {ready});
  return task;
}

TaskId Step::all_gather(const std::string& label, Bytes size, TaskId ready,
                        std::vector<double> shares) {
  CommunicationOptions options = communication();
  options.shares = std::move(shares);
  const TaskId task = builder_.all_gather(label, size, options);
  builder_.after(task, {ready});
  return task;
}

TaskId Step::all_reduce(const std::string& label, Bytes size, TaskId ready) {
  const TaskId task = builder_.all_reduce(label, size, communication());
  builder_.after(task, {ready});
  return task;
}

TaskId Step::send(const std::string& label, Bytes size, TeamId team, TaskId ready) {
  CommunicationOptions options = communication();
  options.team = team;
  const TaskId task = builder_.send(label, size, options);
  builder_.after(task, {ready});
  return task;
}

TaskId Step::broadcast(const std::string& label, Bytes size, TaskId ready) {
  CommunicationOptions options = communication();
  options.algorithm = Algorithm::BinomialTree;
  const TaskId task = builder_.broadcast(label, size, options);
  builder_.after(task, {ready});
  return task;
}

TaskId Step::unpack(const std::string& label, Seconds time, TaskId ready, TeamId team) {
  const TaskId task = builder_.compute(label, time, team, unpacking_);
  builder_.after(task, {ready});
  return task;
}

Plan Step::finish() && {
  return std::move(builder_).build();
}

}  // namespace stepcast::sparse
