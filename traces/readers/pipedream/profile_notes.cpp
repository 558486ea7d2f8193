#include "traces/readers/pipedream/profile_notes.hpp"

#include <fmt/format.h>

#include "traces/readers/pipedream/module_text.hpp"

namespace stepcast {

namespace {

constexpr double kOutlier = 3;  // A first layer this many times over its share is flagged.

double milliseconds(Seconds time) {
  return time.value * 1e3;
}

/// The forward time that the first layer would have if it were to the other layers' forward time as
/// `weight` of it is to `weight` of the others; zero if that cannot be said.
template <class Weight>
Seconds share_of_first(const std::vector<Layer>& layers, Weight weight) {
  Seconds forward;
  double others = 0;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (weight(layers[i]) <= 0)
      continue;
    forward += layers[i].forward;
    others += weight(layers[i]);
  }
  return others > 0 ? forward * (weight(layers[0]) / others) : Seconds{0};
}

/// "; 2.5 times the 2.73 ms of its share of the backward time", if the share is known.
std::string compared(Seconds forward, Seconds share, std::string_view basis) {
  if (share <= Seconds{0})
    return "";
  return fmt::format("; {:.1f} times the {:.3g} ms of its share of {}", forward / share,
                     milliseconds(share), basis);
}

/// Says how the first layer compares to its share of the work, and whether that makes it an
/// outlier: the profiler's first module can include one-time work such as the choice of cuDNN
/// kernels.
std::string first_layer_note(const Workload& workload) {
  const Layer& first = workload.layers.front();
  const Seconds by_backward =
      share_of_first(workload.layers, [](const Layer& l) { return l.backward.value; });
  const Seconds by_macs = share_of_first(workload.layers, [](const Layer& l) { return l.macs; });
  const auto exceeds = [&](Seconds share) {
    return share > Seconds{0} && first.forward > share * kOutlier;
  };
  const bool outlier = exceeds(by_backward) || exceeds(by_macs);
  return fmt::format("{}: {} takes {:.3f} ms forward{}{}{}",
                     outlier ? "warm-up outlier" : "first layer", first.name,
                     milliseconds(first.forward),
                     compared(first.forward, by_backward, "the backward time"),
                     compared(first.forward, by_macs, "the multiply-accumulates"),
                     outlier ? "; it probably includes one-time work and is kept as measured"
                             : fmt::format("; within {} times, not taken for warm-up", kOutlier));
}

std::string batch_note(const ProfileBatch& batch) {
  if (batch.stated)
    return fmt::format("batch {}: stated at import, the file does not tell it", batch.size);
  return fmt::format(
      "batch {}: derived, every linear layer's activation_size is batch x out_features x 4 bytes",
      batch.size);
}

std::string input_note(const GraphFile& file) {
  Seconds loading;
  for (const GraphNode& node : file.nodes) {
    if (is_input(node))
      loading += node.forward;
  }
  return fmt::format("input nodes ({:.3f} ms of data loading) are dropped", milliseconds(loading));
}

}  // namespace

bool is_input(const GraphNode& node) {
  constexpr std::string_view kInput = "Input";
  const std::string kind = module_kind(node.description);
  return kind.starts_with(kInput) && node.parameter_bytes == 0 &&
         kind.find_first_not_of("0123456789", kInput.size()) == std::string::npos;
}

Provenance profile_provenance(const GraphFile& file, const Workload& workload,
                              const ProfileBatch& batch) {
  Provenance provenance;
  provenance.kind = ProvenanceKind::Measured;
  provenance.method =
      "times and sizes per module as profiled; tensors from parameter_size (fp32), split into "
      "weight and bias where the module's text accounts for every element; multiply-accumulates "
      "from weights and output sizes";
  provenance.notes = {
      "the GPU is not stated in the file",
      "the profiler synchronises after every layer, so the sum of the layers exceeds the time of a "
      "real iteration",
      batch_note(batch), input_note(file), first_layer_note(workload)};
  return provenance;
}

}  // namespace stepcast
