#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A measured step, and what StepCast said of it when the file was made.
struct CheckedCase {
  std::string source;  ///< Which published file, or which table.
  std::string workload;
  std::string cluster;
  std::string device;
  std::string schedule;
  std::string label;          ///< What the source calls the system; may be empty.
  std::string network;        ///< As of network_class(): what the step's bytes cross.
  std::uint32_t experts = 1;  ///< Of a block; 1: the model has none.
  std::uint32_t gpus = 0;
  Seconds measured{};
  Seconds predicted{};

  double error() const { return predicted / measured - 1; }  ///< Signed, relative.
};

/// Reads a file of checked cases (`"format": "stepcast-checked-cases"`, version 1), which
/// scripts/published accuracy writes, strictly. Throws InputError naming file and field.
std::vector<CheckedCase> read_checked_cases(const std::filesystem::path& path);
std::vector<CheckedCase> parse_checked_cases(std::string_view text, const std::string& origin);

}  // namespace stepcast
