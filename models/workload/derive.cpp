#include "models/workload/derive.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/workload/optimiser_traffic.hpp"

namespace stepcast {
namespace {

void check_positive(const char* field, double value) {
  if (!std::isfinite(value) || value <= 0)
    throw InputError(fmt::format("{}: expected a number above 0, found {}", field, value));
}

void check_inputs(const Architecture& architecture, const DeviceSpec& device, std::uint32_t batch,
                  Seconds step_time, const DeriveOptions& options) {
  check_architecture(architecture);
  check_positive("device peak_fp32", device.peak_fp32.value);
  check_positive("device memory_bandwidth", device.memory_bandwidth.value);
  if (batch == 0)
    throw InputError("batch: expected a whole number of at least 1, found 0");
  if (!std::isfinite(step_time.value) || step_time <= Seconds{})
    throw InputError(
        fmt::format("`step-time`: expected a time above 0 s, found {} s", step_time.value));
  const double fraction = options.forward_fraction;
  if (!(fraction > 0 && fraction < 1))
    throw InputError(
        fmt::format("`forward-fraction`: expected a number between 0 and 1, found {}", fraction));
}

Layer layer_of(const ArchitectureLayer& source, const LayerWork& work, const DeviceSpec& device,
               std::uint32_t batch) {
  return {.name = source.name,
          .kind = name_of(source.kind),
          .forward = forward_roofline(work, device),
          .backward = backward_roofline(work, device),
          .parameters = source.parameters,
          .activation = work.output,
          .macs = source.macs,
          .kronecker = kronecker_of(source, batch)};
}

/// Multiplies one time of every layer so that they add up to `total`.
void scale_to(std::vector<Layer>& layers, Seconds Layer::*time, Seconds total) {
  Seconds sum{};
  for (const Layer& layer : layers)
    sum += layer.*time;
  if (!std::isfinite(sum.value) || sum <= Seconds{})
    throw InputError(fmt::format(
        "layers: expected work that takes a finite time above 0, found {} s", sum.value));
  for (Layer& layer : layers)
    layer.*time = layer.*time * (total / sum);
}

std::string method_of(const Workload& unscaled, const DeviceSpec& device, Seconds step_time,
                      const DeriveOptions& options) {
  return fmt::format(
      "Layer times in proportion to a roofline of {} ({:.4g} TFLOP/s fp32, {}): a product takes "
      "the "
      "longer of its arithmetic and its memory traffic, and twice that in backward (the first "
      "layer, "
      "which needs no input gradient: once); normalisations (with statistics), embeddings and "
      "operations without parameters take their reads and writes of memory. Scaled so that forward "
      "takes {:.4g} and backward {:.4g} of a step of {}; the bare roofline gives {} and {}. "
      "Forward fraction: {}.",
      device.name, device.peak_fp32.value / 1e12, format_bandwidth(device.memory_bandwidth),
      options.forward_fraction, 1 - options.forward_fraction, format_seconds(step_time),
      format_seconds(forward_time(unscaled)), format_seconds(backward_time(unscaled)),
      options.forward_fraction_source);
}

std::vector<std::string> notes_of(const Architecture& architecture) {
  std::vector<std::string> notes{"architecture: " + architecture.provenance.source};
  const bool extra = std::ranges::any_of(
      architecture.layers, [](const ArchitectureLayer& layer) { return layer.extra_macs > 0; });
  if (extra)
    notes.emplace_back(
        "macs count products with a layer's own weight; the layer times also hold its extra_macs");
  const auto& more = architecture.provenance.notes;
  notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

/// The workload with the bare roofline as its times.
Workload bare_roofline(const Architecture& architecture, const DeviceSpec& device,
                       std::uint32_t batch) {
  Workload workload{.model = architecture.name,
                    .device = device.name,
                    .batch = batch,
                    .batch_scaling = BatchScaling::Proportional};
  for (LayerId id = 0; id < architecture.layers.size(); ++id) {
    const LayerWork work = work_of(architecture, id, batch);
    workload.layers.push_back(layer_of(architecture.layers[id], work, device, batch));
  }
  return with_matrices_by_name(std::move(workload));
}

Seconds update_time(const Workload& workload, const DeviceSpec& device,
                    const std::string& optimiser) {
  if (optimiser.empty())
    return {};
  return parameter_size(workload) * values_moved(optimiser) / elementwise_bandwidth(device);
}

std::string update_note(const Workload& workload, const DeviceSpec& device,
                        const std::string& optimiser) {
  return fmt::format(
      "update: {} as {} reads and writes the size of the parameters, {}, {} times at {}; the step "
      "time holds it",
      format_seconds(workload.update), optimiser, format_bytes(parameter_size(workload)),
      values_moved(optimiser), format_bandwidth(elementwise_bandwidth(device)));
}

}  // namespace

Workload derive_workload(const Architecture& architecture, const DeviceSpec& device,
                         std::uint32_t batch, Seconds step_time, const DeriveOptions& options) {
  check_inputs(architecture, device, batch, step_time, options);
  Workload workload = bare_roofline(architecture, device, batch);
  workload.name = options.name.empty()
                      ? fmt::format("{}-{}-bs{}", architecture.name, device.name, batch)
                      : options.name;
  workload.update = update_time(workload, device, options.optimiser);
  const Seconds passes = step_time - workload.update;
  if (passes <= Seconds{})
    throw InputError(fmt::format(
        "`step-time` (or that of `throughput`): expected more than the update's {}, found {}",
        format_seconds(workload.update), format_seconds(step_time)));
  workload.provenance = {.kind = ProvenanceKind::Derived,
                         .source = options.source.empty() ? "a step time as given" : options.source,
                         .method = method_of(workload, device, passes, options),
                         .notes = notes_of(architecture)};
  if (workload.update > Seconds{})
    workload.provenance.notes.push_back(update_note(workload, device, options.optimiser));
  scale_to(workload.layers, &Layer::forward, options.forward_fraction * passes);
  scale_to(workload.layers, &Layer::backward, (1 - options.forward_fraction) * passes);
  return workload;
}

}  // namespace stepcast
