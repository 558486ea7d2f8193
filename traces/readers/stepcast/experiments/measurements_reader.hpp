#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "traces/readers/stepcast/experiments/experiment_reader.hpp"

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

}  // namespace stepcast
