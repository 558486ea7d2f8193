#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "models/device/device_spec.hpp"
#include "sim/study/validate/hardware_fit.hpp"

namespace stepcast {

/// Every case (measured, predicted, error), then median and worst of each family.
std::string render_hardware_validation(const HardwareValidation& validation);

/// {"fitted_points": n, "quick": [...], "cases": [...], "families": [...]}
std::string hardware_validation_json(const HardwareValidation& validation);

/// Predicted against measured time of every case as SVG.
std::string hardware_plot(const HardwareValidation& validation);

/// What the measured points say of the device: the best fp32 rate, the bandwidth of the largest
/// copy inside the device (read and written), the memory; the provenance holds how many points
/// there were and the spread of the two that decide. Throws InputError if the files are of several
/// devices or quick, hold fewer than 8 gemm-fp32 or 4 copy-device points, or no copy of at least 64
/// MiB, which no cache holds.
DeviceSpec fitted_device(std::span<const HardwareResults> files);

/// The device as the text of a file of configs/devices.
std::string device_json_text(const DeviceSpec& device);

}  // namespace stepcast
