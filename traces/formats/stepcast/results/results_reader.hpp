#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// One forecast as `stepcast run --json` or `compare --json` wrote it: what it was of, and its
/// step.
struct WrittenResult {
  std::string workload{};
  std::string cluster{};
  std::uint64_t nodes = 1;
  std::uint64_t gpus_per_node = 1;
  std::uint64_t batch = 1;
  std::string fidelity{};
  std::string schedule{};
  std::map<std::string, std::string> options{};      ///< All that were in force.
  std::map<std::string, std::string> combination{};  ///< Of a sweep: what varies, and its value.
  Seconds iteration_time{};
};

/// The forecasts of a file, in its order. Keys that are not needed here may be anything, so that
/// files of other versions can be read. Throws InputError `<path>: <pointer>: expected ...` for a
/// file that holds none, or steps that take no time.
std::vector<WrittenResult> read_results(const std::filesystem::path& path);

}  // namespace stepcast
