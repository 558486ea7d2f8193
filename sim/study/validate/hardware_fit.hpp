#pragma once
// Fits the device and collective models on half of the measured points and predicts the others.
//
// Points are grouped by family (collectives also by GPUs, nodes and communicators at once) and
// sorted by size, products by operations; every second point is held out, but never the first and
// the last of a group, so that nothing is predicted beyond what was measured. The rule was fixed
// before any file was recorded.

#include <span>
#include <string>
#include <vector>

#include "models/base/statistics.hpp"
#include "traces/formats/stepcast/experiments/hardware_results.hpp"

namespace stepcast {

/// A measured value and its prediction.
struct HardwareCase {
  std::string device;
  std::string family;  ///< "gemm-fp32", ..., "replay".
  std::string what;  ///< "512 x 2048 x 64", "dear, resnet50-rtx2080ti-bs64 on 64 GPUs (emulated)".
  Seconds measured{};
  Seconds predicted{};
  double spread = 0;

  double error() const { return predicted / measured - 1; }  ///< Signed, relative.
};

/// Relative errors of one family of one device.
struct FamilyErrors {
  std::string device;
  std::string family;
  ErrorSummary errors;
};

struct HardwareValidation {
  std::vector<HardwareCase> cases;  ///< Held-out points by family, then the replays.
  std::size_t fitted = 0;           ///< Points that the models were fitted on.
  std::vector<FamilyErrors> families;
  std::vector<std::string> quick;  ///< Names of files with fewer points and repetitions than usual.
};

/// Throws InputError if two points of a device have the same shape, if a replay is there twice, or
/// if files of one device are of different GPUs, drivers or libraries.
HardwareValidation validate_hardware(std::span<const HardwareResults> files);

/// What --max-error is compared with: the family whose median, or of replays whose worst, is the
/// largest; null if nothing was predicted.
const FamilyErrors* decisive_family(const HardwareValidation& validation);

/// That error, infinite if it is not a number; 0 for null.
double decisive_error(const FamilyErrors* family);

}  // namespace stepcast
