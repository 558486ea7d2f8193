#pragma once

#include <string>
#include <vector>

#include "models/base/note.hpp"
#include "models/device/compression.hpp"
#include "models/schedule/options.hpp"
#include "models/workload/workload.hpp"

namespace stepcast::sparse {

/// How a selected entry travels: its value, and where it belongs.
struct Encoding {
  Bytes value{4};       ///< 4: fp32, 2: fp16.
  Bytes index{4};       ///< int32.
  bool bitmap = false;  ///< Instead of indices one bit for every element of the dense tensor.
};

Bytes size_of_values(const Encoding& encoding, double entries);
/// Of `entries` among `elements`.
Bytes size_of_indices(const Encoding& encoding, double entries, double elements);

/// What the options of a sparse schedule say, in numbers.
struct Settings {
  double density = 0.001;  ///< k / d.
  Selection selection = Selection::Exact;
  bool on_own_stream = false;  ///< Selection beside the backward pass, not within it.
  bool error_feedback = true;  ///< What is not sent is added to the next gradient.
  Encoding encoding;
  double clustering = 0;                  ///< See union_density().
  Seconds host_per_parameter{};           ///< Copying to the host and back, selecting there.
  const char* cost_option = "selection";  ///< Set to "free", it leaves out what compression costs.
};

/// Values of the options that differ between the published systems. Those that are an exchange
/// share one selection, so that a comparison with defaults compares exchanges: MSTopK, as a sort
/// would take longer than most exchanges. DGC, SIDCo and DCT are ways to find a threshold, the
/// first two with a selection of their own. What each paper selected by is in its preset.
struct Defaults {
  std::string density = "0.02";
  std::string selection = "search";
  std::string fusion = "buffer";  ///< Empty: the schedule decides by itself.
};

/// The options of all sparse schedules after a schedule's own ones.
std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, const Defaults& defaults);

/// Values of the option "fusion" (see fused_tensors), and which of them is found by a search.
std::vector<std::string> fusion_words();
OptionSearch fusion_search();

Settings settings_of(const OptionReader& read);

/// The costs of the workload's device; with Selection::Free all are 0. Throws InputError if they
/// are not known.
CompressionCosts costs_of(const std::string& schedule, const Workload& workload,
                          const Settings& settings);

/// What every report on a sparse schedule says.
Note convergence_caveat();

}  // namespace stepcast::sparse
