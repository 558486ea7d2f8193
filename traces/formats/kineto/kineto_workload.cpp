#include "traces/formats/kineto/kineto_workload.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

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

/// The shipped device of this name, else the name itself.
std::string device_of(const KinetoFacts& facts, const ImportOptions& options) {
  if (!options.device.empty())
    return options.device;
  const std::string own = slug(facts.device_name);
  if (own.empty())
    return "kineto";
  return find_device_called(facts.device_name).value_or(own);
}

/// Of a pass. The user knows what a step trains: the shapes only tell, of a pass, where the user
/// does not.
std::uint32_t batch_of(const KinetoFacts& facts, const ImportOptions& options,
                       std::uint32_t passes) {
  const std::uint32_t batch = options.batch ? *options.batch / passes : facts.batch.batch;
  if (options.batch && *options.batch % passes != 0)
    throw InputError(
        fmt::format("--batch {}: expected a multiple of {}, as a step of {} works "
                    "through so many micro-batches",
                    *options.batch, passes, facts.origin));
  if (batch == 0)
    throw InputError(fmt::format("{}: {}: give the samples per step with --batch", facts.origin,
                                 facts.batch.evidence));
  return batch;
}

std::string batch_note(const KinetoFacts& facts, const ImportOptions& options) {
  if (!options.batch)
    return fmt::format("batch {} guessed: {}", facts.batch.batch, facts.batch.evidence);
  const bool other = facts.batch.batch != 0 && facts.batch.batch != *options.batch;
  return fmt::format(
      "batch {} as given{}", *options.batch,
      other ? fmt::format("; the trace suggests {}: {}", facts.batch.batch, facts.batch.evidence)
            : "");
}

/// The wait before a layer's forward work, and before the backward work of the layer before it:
/// what lies between the two in either direction.
void add_gap(std::size_t place, Seconds forward, Seconds backward, const ImportOptions& options,
             Workload& workload) {
  if (options.drop_gaps || forward + backward <= Seconds{})
    return;
  workload.layers.push_back({.name = fmt::format("host-gap-{}", place),
                             .kind = kHostGap,
                             .forward = forward,
                             .backward = backward,
                             .parameters = {}});
}

Layer layer_of(const LayerTimes& times, DataType type) {
  Layer layer{.name = times.name,
              .kind = times.kind,
              .forward = times.forward,
              .backward = times.backward,
              .parameters = {}};
  if (times.kind != kUnlaunched) {
    layer.forward_launches = times.forward_work;
    layer.backward_launches = times.backward_work;
  }
  for (const LayerGradient& gradient : times.gradients)
    layer.parameters.push_back({.name = fmt::format("{}.gradient-{}", times.name, gradient.order),
                                .elements = gradient.elements,
                                .dtype = type});
  return layer;
}

/// What no operator launched is a layer if it is more than the update.
bool is_layer(const LayerTimes& times) {
  const bool only_update = times.update > Seconds{} && times.forward + times.backward <= Seconds{};
  return !only_update || !times.gradients.empty();
}

/// Behind a layer's work in either direction, as layers of their own: one before it in forward
/// order is behind it in the backward pass.
void add_messages(const LayerTimes& times, Seconds forward, Seconds backward, Workload& workload) {
  if (forward + backward > Seconds{})
    workload.layers.push_back(
        {.name = fmt::format("{} messages{}", times.name, backward > Seconds{} ? " back" : ""),
         .kind = kModelMessages,
         .forward = forward,
         .backward = backward,
         .parameters = {}});
}

bool has_messages_alone(const LayerTimes& times) {
  return times.work == 0 && times.gradients.empty() &&
         times.forward_messages + times.backward_messages > Seconds{};
}

void add_layers(const AverageStep& step, DataType type, const ImportOptions& options,
                Workload& workload) {
  Seconds backward_gap{};
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    const LayerTimes& times = step.layers[i];
    add_gap(i, times.forward_gap, backward_gap, options, workload);
    workload.update += times.update;
    add_messages(times, {}, times.backward_messages, workload);
    const bool has_messages = times.backward_messages > Seconds{};
    if (!has_messages_alone(times) && (is_layer(times) || step.layers.size() == 1)) {
      workload.layers.push_back(layer_of(times, type));
      if (has_messages && times.reduced_behind)
        std::swap(workload.layers.back().parameters,
                  workload.layers[workload.layers.size() - 2].parameters);
    }
    add_messages(times, times.forward_messages, {}, workload);
    backward_gap = times.backward_gap;
  }
  add_gap(step.layers.size(), {}, backward_gap, options, workload);
}

std::string gap_note(const AverageStep& step, const ImportOptions& options) {
  Seconds gaps{};
  for (const LayerTimes& layer : step.layers)
    gaps += layer.forward_gap + layer.backward_gap;
  const std::string pauses = step.pauses > Seconds{}
                                 ? fmt::format(" ({} of it before work that was launched already)",
                                               format_seconds(step.pauses))
                                 : "";
  const char* const bound =
      gaps > step.computation.mean
          ? "; the step is bound by the host, which a profiler slows down: its own pace is unknown"
          : "";
  return fmt::format("the device idled {} a step for the host{}: {}{}", format_seconds(gaps),
                     pauses, options.drop_gaps ? "left out" : "kept as layers of kind HostGap",
                     bound);
}

std::string message_note(const AverageStep& step) {
  Seconds sum{};
  for (const LayerTimes& layer : step.layers)
    sum += (layer.forward_messages + layer.backward_messages) * step.passes;
  return fmt::format(
      "{} ranks share the model: a step waits {} for messages among them, kept with their recorded "
      "times as layers of kind {}; samples and gradients are those of a model, not of a rank",
      step.model_group, format_seconds(sum), kModelMessages);
}

std::string unevenness_note(const AverageStep& step) {
  constexpr double kPercent = 100;
  std::string note = fmt::format(
      "standard deviation of a layer's time over the steps: {:.1f} % of its mean (median layer)",
      step.median_ratio * kPercent);
  if (!step.most_uneven.name.empty())
    note += fmt::format("; most uneven of the long ones: {} with {:.1f} %", step.most_uneven.name,
                        step.most_uneven.ratio * kPercent);
  return note;
}

std::vector<std::string> time_notes(const AverageStep& step, const ImportOptions& options) {
  std::vector<std::string> notes = {
      fmt::format("recorded step on the device: {}", describe(step.duration)),
      fmt::format("computation on the device: {}", describe(step.computation))};
  if (std::string stalls = describe(step.pace); !stalls.empty())
    notes.push_back(std::move(stalls));
  if (step.passes > 1)
    notes.push_back(fmt::format(
        "each step worked through {} micro-batches: times are those of the mean one", step.passes));
  if (step.steps > 1)
    notes.push_back(unevenness_note(step));
  if (step.layers.back().kind == kUnlaunched)
    notes.push_back(fmt::format(
        "doubtful: {} of the step were launched before the profile, and whether they belong to it "
        "is not recorded",
        format_seconds(step.layers.back().forward)));
  if (step.model_group > 1)
    notes.push_back(message_note(step));
  notes.push_back(gap_note(step, options));
  if (step.collective_waits > Seconds{})
    notes.push_back(
        fmt::format("the device waited {} a step for collectives: left out, a schedule "
                    "adds its own",
                    format_seconds(step.collective_waits)));
  if (step.input_copies > Seconds{})
    notes.push_back(fmt::format("{} a step of copies from host to device are left out",
                                format_seconds(step.input_copies)));
  return notes;
}

std::string buckets_note(const std::vector<Bytes>& buckets) {
  std::vector<std::string> sizes(buckets.size());
  std::ranges::transform(buckets, sizes.begin(), format_bytes);
  return fmt::format("gradient buckets: {}", fmt::join(sizes, ", "));
}

std::string name_of(DataType type) {
  const auto found =
      std::ranges::find(kDataTypeNames, type, [](auto& entry) { return entry.first; });
  return found == kDataTypeNames.end() ? "" : found->second;
}

/// The precisions of workloads have no integers: those are gradients made small on their way.
std::string precision_of(const GradientType& gradients) {
  return gradients.type == DataType::Int8 ? "fp32" : name_of(gradients.type);
}

std::string gradients_note(const KinetoFacts& facts) {
  return fmt::format("gradient sizes ({}{}): {}", name_of(facts.gradient_type.type),
                     facts.gradient_type.recorded ? "" : " assumed",
                     facts.gradients_by.empty() ? "not in the trace" : facts.gradients_by);
}

/// "8", "2 of 128".
std::string ranks_text(const KinetoFacts& facts) {
  return facts.ranks < facts.job ? fmt::format("{} of {}", facts.ranks, facts.job)
                                 : fmt::format("{}", facts.ranks);
}

Provenance provenance_of(const AverageStep& step, const KinetoFacts& facts,
                         const ImportOptions& options) {
  Provenance provenance{.kind = ProvenanceKind::Measured};
  provenance.source = options.source.empty()
                          ? fmt::format("PyTorch profiler trace {}", facts.origin)
                          : options.source;
  provenance.method = fmt::format(
      "device time of the kernels of a layer, summed, mean of {} steps (told apart by {}){}; the "
      "update is the optimizer's and what follows the backward pass on the training thread",
      step.steps, facts.steps_by,
      facts.ranks > 1 ? fmt::format(" of {} ranks", ranks_text(facts)) : std::string());
  provenance.notes = time_notes(step, options);
  provenance.notes.push_back(batch_note(facts, options));
  provenance.notes.push_back(gradients_note(facts));
  if (!facts.device_name.empty())
    provenance.notes.push_back(fmt::format("device by the trace: {}", facts.device_name));
  if (!facts.alignment.empty())
    provenance.notes.push_back(facts.alignment);
  if (!facts.buckets.empty())
    provenance.notes.push_back(buckets_note(facts.buckets));
  return provenance;
}

}  // namespace

Workload workload_of(const AverageStep& step, const KinetoFacts& facts,
                     const ImportOptions& options) {
  if (step.computation.mean <= Seconds{})
    throw InputError(facts.origin + ": expected work on a device in a step, found none");
  constexpr double kPercent = 100;
  if (step.unaccounted > kRefusedShare)
    throw InputError(fmt::format(
        "{}: layers, gaps and waits for collectives are {:.1f} % off a recorded step: a workload "
        "of them would not be the step that was measured",
        facts.origin, step.unaccounted * kPercent));
  Workload workload;
  workload.model = options.model.empty() ? model_of(facts.origin) : options.model;
  workload.device = device_of(facts, options);
  workload.batch = batch_of(facts, options, step.passes);
  workload.passes = step.passes;
  workload.model_group = step.model_group;
  workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
  workload.provenance = provenance_of(step, facts, options);
  workload.precision = precision_of(facts.gradient_type);
  add_layers(step, facts.gradient_type.type, options, workload);
  return workload;
}

}  // namespace stepcast
