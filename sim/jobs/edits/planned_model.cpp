#include "sim/jobs/edits/planned_model.hpp"

#include <functional>

#include "models/schedule/model_parallel/pass_layers.hpp"

namespace stepcast {
namespace {

bool is_product(const Layer& layer) {
  return layer.kind.find("Conv") != std::string::npos ||
         layer.kind.find("Linear") != std::string::npos ||
         layer.kind.find("ttention") != std::string::npos;
}

bool is_host(const Layer& layer) {
  return layer.kind == kHostGap;
}

/// The passes of a job that are left of those layers alone.
Workload passes_of(const HybridJob& job, const Workload& model,
                   const std::function<bool(const Layer&)>& is_such) {
  HybridJob only = job;
  for (std::size_t unit = 0; unit < only.units.size(); ++unit)
    if (!is_such(model.layers[unit]))
      only.units[unit].compute = {};
  return PassLayers::workload(only, model);
}

double share(Seconds part, Seconds whole) {
  return whole > Seconds{} ? part / whole : 0;
}

}  // namespace

PlannedModel planned_model(const Workload& workload) {
  PlannedModel model{.name = workload.name, .layers = {}};
  for (const Layer& layer : workload.layers) {
    const PassShares shares{.products = is_product(layer) ? 1.0 : 0.0,
                            .host = is_host(layer) ? 1.0 : 0.0};
    model.layers.push_back({.name = layer.name,
                            .forward = layer.forward,
                            .of_forward = shares,
                            .of_backward = shares});
  }
  return model;
}

PlannedModel planned_model(const HybridJob& job, const Workload& model) {
  const bool knows_products = !model.transformer;
  PlannedModel planned{
      .name = model.name, .layers = {}, .is_cut = true, .knows_products = knows_products};
  const Workload all = PassLayers::workload(job, model);
  const Workload products = knows_products ? passes_of(job, model, is_product) : Workload{};
  const Workload host = knows_products ? passes_of(job, model, is_host) : Workload{};
  for (std::size_t i = 0; i < all.layers.size(); ++i) {
    const Layer& layer = all.layers[i];
    PlannedLayer of{
        .name = layer.name, .forward = layer.forward, .of_forward = {}, .of_backward = {}};
    if (knows_products) {
      of.of_forward = {share(products.layers[i].forward, layer.forward),
                       share(host.layers[i].forward, layer.forward)};
      of.of_backward = {share(products.layers[i].backward, layer.backward),
                        share(host.layers[i].backward, layer.backward)};
    }
    planned.layers.push_back(std::move(of));
  }
  return planned;
}

}  // namespace stepcast
