#include "traces/readers/kineto/kineto_workload.hpp"

#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

/// "tesla-v100-dgxs-32gb" of "Tesla V100-DGXS-32GB".
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      result += static_cast<char>(std::tolower(letter));
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  while (result.ends_with('-'))
    result.pop_back();
  return result;
}

/// "resnet50" of ".../resnet50.pt.trace.json.gz".
std::string model_of(const std::string& origin) {
  const std::string file = std::filesystem::path(origin).filename().string();
  const std::string model = slug(file.substr(0, file.find('.')));
  return model.empty() ? "model" : model;
}

std::uint32_t batch_of(const KinetoFacts& facts, const ImportOptions& options) {
  const std::uint32_t batch = options.batch.value_or(facts.batch);
  if (facts.batch != 0 && batch != facts.batch)
    throw InputError(
        fmt::format("{}: the shapes in the trace are those of batch {}, not of {}: "
                    "leave --batch out",
                    facts.origin, facts.batch, batch));
  if (batch == 0)
    throw InputError(facts.origin +
                     ": the trace holds no shapes: give the samples per step with --batch");
  return batch;
}

/// The wait before a layer's forward work, and before the backward work of the layer before it:
/// what lies between the two in either direction.
void add_gap(std::size_t place, Seconds forward, Seconds backward, const ImportOptions& options,
             Workload& workload) {
  if (options.drop_gaps || forward + backward <= Seconds{})
    return;
  workload.layers.push_back({.name = fmt::format("host-gap-{}", place),
                             .kind = "HostGap",
                             .forward = forward,
                             .backward = backward,
                             .parameters = {}});
}

Layer layer_of(const LayerTimes& times) {
  Layer layer{.name = times.name,
              .kind = times.kind,
              .forward = times.forward,
              .backward = times.backward,
              .parameters = {}};
  for (const LayerGradient& gradient : times.gradients)
    layer.parameters.push_back({.name = fmt::format("{}.gradient-{}", times.name, gradient.order),
                                .elements = gradient.elements});
  return layer;
}

void add_layers(const AverageStep& step, const ImportOptions& options, Workload& workload) {
  Seconds backward_gap{};
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    const LayerTimes& times = step.layers[i];
    add_gap(i, times.forward_gap, backward_gap, options, workload);
    workload.layers.push_back(layer_of(times));
    backward_gap = times.backward_gap;
  }
  add_gap(step.layers.size(), {}, backward_gap, options, workload);
}

std::string gap_note(const AverageStep& step, const ImportOptions& options) {
  Seconds gaps{};
  for (const LayerTimes& layer : step.layers)
    gaps += layer.forward_gap + layer.backward_gap;
  return fmt::format("the device waited {} a step for the host: {}", format_seconds(gaps),
                     options.drop_gaps ? "left out" : "kept as layers of kind HostGap");
}

Provenance provenance_of(const AverageStep& step, const KinetoFacts& facts,
                         const ImportOptions& options) {
  Provenance provenance{.kind = ProvenanceKind::Measured};
  provenance.source = options.source.empty()
                          ? fmt::format("PyTorch profiler trace {}", facts.origin)
                          : options.source;
  provenance.method = fmt::format(
      "device time of the kernels of a layer, summed, mean of {} steps (told apart by {}){}; the "
      "first layer is the optimizer",
      step.steps, facts.steps_by,
      facts.ranks > 1 ? fmt::format(" of {} ranks", facts.ranks) : std::string());
  provenance.notes = {
      fmt::format("recorded step {}, computation on the device {} ({} to {})",
                  format_seconds(facts.step_time), format_seconds(step.mean),
                  format_seconds(step.smallest), format_seconds(step.largest)),
      gap_note(step, options),
      fmt::format("gradient sizes (fp32): {}",
                  facts.gradients_by.empty() ? "not in the trace" : facts.gradients_by)};
  if (!facts.alignment.empty())
    provenance.notes.push_back(facts.alignment);
  if (step.input_copies > Seconds{})
    provenance.notes.push_back(fmt::format("{} a step of copies from host to device are left out",
                                           format_seconds(step.input_copies)));
  if (!facts.buckets.empty()) {
    std::vector<std::string> sizes;
    for (const Bytes bucket : facts.buckets)
      sizes.push_back(format_bytes(bucket));
    provenance.notes.push_back(fmt::format("gradient buckets: {}", fmt::join(sizes, ", ")));
  }
  return provenance;
}

}  // namespace

Workload workload_of(const AverageStep& step, const KinetoFacts& facts,
                     const ImportOptions& options) {
  if (step.mean <= Seconds{})
    throw InputError(facts.origin + ": expected work on a device in a step, found none");
  Workload workload;
  workload.model = options.model.empty() ? model_of(facts.origin) : options.model;
  workload.device = !options.device.empty()           ? options.device
                    : slug(facts.device_name).empty() ? "kineto"
                                                      : slug(facts.device_name);
  workload.batch = batch_of(facts, options);
  workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
  workload.provenance = provenance_of(step, facts, options);
  add_layers(step, options, workload);
  return workload;
}

}  // namespace stepcast
