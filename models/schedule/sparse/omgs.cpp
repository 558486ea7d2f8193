#include <algorithm>
#include <utility>

#include "models/schedule/merge_plan.hpp"
#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/omgs_groups.hpp"
#include "models/schedule/sparse/topk_allgather.hpp"

namespace stepcast {
namespace {

using sparse::OmgsLayer;
using sparse::Settings;
using sparse::Step;
using sparse::Tensor;

// Layers with parameters in backward order; the time of those without counts for the next one.
std::vector<OmgsLayer> layers_of(const Workload& workload) {
  std::vector<OmgsLayer> layers;
  Seconds backward{};
  for (auto layer = workload.layers.rbegin(); layer != workload.layers.rend(); ++layer) {
    backward += layer->backward;
    if (layer->parameters.empty())
      continue;
    double elements = 0;
    for (const Parameter& parameter : layer->parameters)
      elements += static_cast<double>(parameter.elements);
    layers.push_back({std::exchange(backward, Seconds{}), elements});
  }
  return layers;
}

// Both all-gathers of a selection, by the line through the cluster's all-gather.
std::function<Seconds(double)> communication_of(const Cluster& cluster, const Settings& settings) {
  const LinearCost line =
      linear_cost_of({.kind = CollectiveKind::AllGather}, world_of(cluster), cluster);
  const auto time = [line](Bytes size) {
    return line.startup + (line.bandwidth > BytesPerSecond{} ? size / line.bandwidth : Seconds{});
  };
  return [=, ranks = cluster.ranks()](double elements) {
    const double entries = sparse::selected_of(settings.density, elements) * ranks;
    return time(size_of_values(settings.encoding, entries)) +
           time(size_of_indices(settings.encoding, entries, elements * ranks));
  };
}

Plan build_omgs(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const Settings settings = sparse::settings_of(read);
  Step step(workload, cluster, read, settings);
  const auto groups = omgs_groups(
      layers_of(workload),
      {.selection = [&](double elements) { return step.compression_time({.elements = elements}); },
       .communication = communication_of(cluster, settings)});
  step.pass(
      sparse::tensors_of_layers(workload, groups),
      [&](const Tensor& tensor) { return step.compression_time(tensor); },
      [&](const Tensor& tensor, TaskId ready) { return gather_and_add(step, tensor, ready); });
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo omgs_schedule() {
  auto options = sparse::with_common_options({}, {.density = "0.001", .fusion = ""});
  return sparse::system_of("omgs",
                           "topk-allgather of layers merged where that saves more than it delays",
                           "Shi et al., OMGS-SGD, INFOCOM 2020", std::move(options), build_omgs);
}

}  // namespace stepcast
