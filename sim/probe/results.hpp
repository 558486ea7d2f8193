#pragma once

#include <string>
#include <string_view>

#include "sim/probe/hardware.hpp"

namespace stepcast {

/// A short name for a GPU: "NVIDIA H200" -> "h200", "NVIDIA GeForce RTX 2080 Ti" -> "rtx2080ti".
std::string device_name_of(std::string_view gpu);

/// An empty result file for what was measured: "<device>-<what>", quick ones with "-quick" so that
/// they replace no full ones.
HardwareResults new_results(const Machine& machine, const std::string& device,
                            const std::string& what, bool quick);

/// Writes <folder>/<name>.json and returns its path. Throws InputError if it cannot be written.
std::string write_results(const std::string& folder, const HardwareResults& results);

/// Throws InputError if there is no such folder to write into.
void check_folder(const std::string& folder);

/// Throws InputError if `file`, the value of `option`, could not be written: no such folder.
void check_file(const std::string& option, const std::string& file);

/// One line for each point: family, case, time, spread, error of the check.
std::string render_points(const HardwareResults& results);

/// The measured timeline in the format of `stepcast run --timeline`.
std::string replay_trace(const ExportedPlan& plan, const ReplayMeasurement& measured);

}  // namespace stepcast
