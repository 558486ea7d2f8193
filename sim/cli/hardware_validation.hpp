#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/output/figure_file.hpp"

namespace stepcast {

/// What `stepcast validate` does with results that stepcast-probe recorded.
struct HardwareRequest {
  std::vector<std::string> files;
  std::optional<double> max_error;  ///< In per cent.
  FigureFile plot{};
  bool update_device = false;  ///< Write the device.
  std::string device_file;     ///< Where to; empty: <device>.json in the current folder.
  bool json = false;
};

/// Whether all files hold recorded results. Throws InputError if only some do, or for no JSON.
bool holds_hardware_results(const std::vector<std::string>& files);

/// Prints the validation, writes what is asked for and returns the exit code: 4 above max_error.
int run_hardware_validation(const HardwareRequest& request);

}  // namespace stepcast
