#pragma once

#include <string>
#include <vector>

#include "models/schedule/options.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast::kfac {

/// What a training step with K-FAC does beside forward and backward. The authors of these systems
/// measure by switching parts off and taking differences.
struct Parts {
  bool gradient_communication = true;
  bool preconditioning = true;
  bool factor_computation = true;
  bool factor_communication = true;
  bool inverse_computation = true;
  bool inverse_communication = true;
  bool result_communication = true;  ///< Of preconditioned gradients, in every iteration.
};

// Phases of the tasks of a step, beside the usual ones.
inline constexpr const char* kFactor = "factor";
inline constexpr const char* kInverse = "inverse";
inline constexpr const char* kPacking = "packing";
inline constexpr const char* kUnpacking = "unpacking";
inline constexpr const char* kPreconditioning = "preconditioning";
inline constexpr const char* kGradientCommunication = "gradient communication";
inline constexpr const char* kMetricCommunication = "metric communication";
inline constexpr const char* kFactorCommunication = "factor communication";
inline constexpr const char* kInverseCommunication = "inverse communication";
inline constexpr const char* kResultCommunication = "result communication";

/// The parts of the authors' protocol, which switches them on one after the other, and what it
/// cannot tell apart. The option "parts" names the last one that is on.
PartsInfo parts_info();

/// From the options "parts" and "update".
Parts parts_of(const OptionReader& read);

/// Whether K-FAC's own work runs in hooks within the passes. If so, the host does not run ahead of
/// the GPU: SPD-KFAC synchronises with it before each all-reduce of factors (published code); of
/// the others this is assumed.
enum class Hooks { No, Yes };

/// `own` options, then "parts" and "update", and those of Horovod.
std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, Hooks hooks);

}  // namespace stepcast::kfac
