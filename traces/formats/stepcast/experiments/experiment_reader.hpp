#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/settings.hpp"

namespace stepcast {

/// A run or comparison as a file describes it. Names are resolved by the catalog and the registry.
struct Experiment {
  std::string workload;                  ///< Name, or path from the working directory.
  std::string cluster;                   ///< Name or path.
  std::vector<std::string> schedules;    ///< Never empty.
  std::string fidelity;                  ///< "analytic", "flow" or "step"; empty if not given.
  std::string engine;                    ///< "auto", "simgrid" or "own"; empty if not given.
  Settings settings;                     ///< `set`, `nodes` and `gpus_per_node`.
  std::vector<std::string> workloads{};  ///< All workloads of a comparison; empty: one alone.
  std::vector<std::string> clusters{};   ///< All clusters of a comparison; empty: one alone.
};

class ObjectReader;

/// The fields of an experiment within a larger object; the caller reads the rest and finishes it.
/// Paths count from the folder of `file`, see named_in().
Experiment read_experiment_fields(ObjectReader& object, const std::string& file);

/// Reads an experiment file (`"format": "stepcast-experiment"`, version 1) strictly. Throws
/// InputError naming file and field.
Experiment read_experiment(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
Experiment parse_experiment(std::string_view text, const std::string& origin);

}  // namespace stepcast
