#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "traces/formats/stepcast/experiments/experiment_reader.hpp"

namespace stepcast {

/// What a measured case may be used for.
enum class MeasurementUse {
  Bandwidth,  ///< Link bandwidths are fitted on it.
  Overlap,    ///< How much computing slows communication down is fitted on it.
  StartUp,    ///< Start-up and launch costs are fitted on it.
  Software,   ///< Costs of the schedule's own software are fitted on it, the cluster as it is.
  Check,      ///< Only predicted.
};

/// One measured iteration time and the experiment that predicts it (exactly one schedule).
struct MeasuredCase {
  Experiment experiment;
  std::string label;  ///< What the source calls the system; empty: the schedule's name says it.
  MeasurementUse use = MeasurementUse::Check;
  Seconds measured{};
  double spread = 0;  ///< Standard deviation over mean; 0 if not known.
};

struct Measurements {
  std::string name;
  Provenance provenance;
  std::vector<MeasuredCase> cases;  ///< Never empty.
};

/// Reads a file of measured iteration times (`"format": "stepcast-measurements"`, version 1)
/// strictly. Throws InputError naming file and field.
Measurements read_measurements(const std::filesystem::path& path);
Measurements parse_measurements(std::string_view text, const std::string& origin);

const char* name_of(MeasurementUse use);

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
