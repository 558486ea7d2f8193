#pragma once

#include <cstdint>
#include <string>

#include "models/base/units.hpp"
#include "models/device/device_spec.hpp"
#include "models/workload/architecture.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Choices of derive_workload, all of which end up in the workload or its provenance.
struct DeriveOptions {
  /// Part of the step time that is forward; the rest is backward. Between 0 and 1.
  double forward_fraction = 0.36;
  /// Where the forward fraction comes from. The default is true of the default fraction only.
  std::string forward_fraction_source =
      "ResNet-50 measured on an RTX 2080 Ti: 38 ms forward and 67 ms backward at batch 16 (0.362), "
      "76 and 135 ms at batch 32 (0.360)";
  /// Where the step time comes from; empty: "a step time as given".
  std::string source;
  /// Name of the workload; empty: "<architecture>-<device>-bs<batch>".
  std::string name;
  /// A name of values_moved(): the step time holds its update, which takes what it reads and writes
  /// at elementwise_bandwidth(). Empty: no update is told apart.
  std::string optimiser;
};

/// Gives every layer of an architecture a forward and a backward time on a device when only the
/// time of the whole step on one device (forward and backward, with an optimiser its update, too)
/// is known.
///
/// Each layer's times are in proportion to its roofline; forward times are scaled to add up to
/// `forward_fraction * step_time` and backward times to the rest; with an optimiser, of the step
/// without the update, which becomes the workload's.
///
/// A layer's macs in the result are those with its own weight. Throws InputError for a step time
/// that is not above zero (or not above the update), batch 0, a forward fraction outside (0, 1), a
/// device without rates, an unknown optimiser, and what check_architecture refuses; options are
/// named as arguments: `step-time`.
Workload derive_workload(const Architecture& architecture, const DeviceSpec& device,
                         std::uint32_t batch, Seconds step_time, const DeriveOptions& options = {});

}  // namespace stepcast
