#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/device/kernel_point.hpp"

namespace stepcast {

/// What the points of a file were measured on.
struct Machine {
  std::string gpu;         ///< As the driver names it: "NVIDIA H200".
  std::string capability;  ///< "9.0".
  std::uint32_t gpus = 1;  ///< Of all nodes together.
  std::uint32_t nodes = 1;
  Bytes memory{};                                ///< Of one GPU.
  std::string processor;                         ///< Of the host; may be empty.
  std::string driver;                            ///< Version.
  std::map<std::string, std::string> libraries;  ///< "cuda-runtime": "13.0", ...
};

/// A schedule that was replayed.
struct ReplayResult {
  std::string workload;
  std::string cluster;
  std::string schedule;
  std::uint32_t gpus = 1;  ///< Of the plan.
  bool emulated = true;    ///< Collectives were copies on one GPU.
  std::uint32_t iterations = 1;
  Seconds predicted{};  ///< Of one iteration, by the plan.
  Seconds measured{};   ///< Median.
  double spread = 0;    ///< Interquartile range over median.
};

/// One file of traces/hardware as `stepcast-probe` writes it.
struct HardwareResults {
  std::string name;    ///< "h200-gemm".
  std::string device;  ///< "h200".
  std::string date;    ///< "2026-11-21".
  bool quick = false;  ///< Fewer points and repetitions than usual.
  Machine machine;
  Provenance provenance;
  std::vector<KernelPoint> points;
  std::vector<ReplayResult> replays;
};

/// Reads recorded results (`"format": "stepcast-hardware"`, version 1) strictly. Throws InputError
/// naming file and field.
HardwareResults read_hardware_results(const std::filesystem::path& path);
HardwareResults parse_hardware_results(std::string_view text, const std::string& origin);

/// What files are named after: lower-case letters, digits, '-', '.' and '_', the first no '-' or
/// '.'.
bool is_device_name(std::string_view name);

/// The same file: one line a point.
std::string to_json_text(const HardwareResults& results);

/// The "format" of a JSON file, or "" if it has none. Throws InputError if it is no JSON.
std::string format_of_file(const std::filesystem::path& path);

}  // namespace stepcast
