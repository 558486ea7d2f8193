#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// What the forecast says of one communication on the exported rank.
struct CommunicationForecast {
  Seconds wait{};  ///< Ready on this rank and next on its stream, until every member was ready.
  Seconds time{};  ///< From there to its end. Both 0 where the rank is no member.
};

/// A plan with its forecast, as `stepcast run --export-plan` writes it for replays on hardware:
/// everything that a program needs that knows neither workload nor cluster.
struct ExportedPlan {
  std::string workload;  ///< Names, for reports.
  std::string cluster;
  std::string fidelity;    ///< Of the forecast.
  std::uint32_t gpus = 1;  ///< Ranks of the cluster.
  Rank rank = 0;           ///< Whose forecast it is.
  /// The forecast has a compute slowdown or launch wait, which emulated communication lacks.
  bool communication_slows_compute = false;
  Seconds iteration_time{};  ///< Of one iteration of the plan (all steps of a period).
  /// All streams are in order; tasks name no layers and no phases; each communication has a
  /// collective of its own.
  Plan plan;
  std::vector<CommunicationForecast> forecasts;  ///< Of plan.collectives.
  Provenance provenance;
};

/// Reads an exported plan (`"format": "stepcast-plan"`, version 1) strictly: besides the fields it
/// checks that an order exists in which the tasks can run. Throws InputError naming file and field.
ExportedPlan read_exported_plan(const std::filesystem::path& path);
ExportedPlan parse_exported_plan(std::string_view text, const std::string& origin);

/// The same file: one line a task, times with nine significant digits.
std::string to_json_text(const ExportedPlan& exported);

/// Names of compute kinds in the file: "forward", "backward", "update", "other-compute".
const char* name_of(TaskKind kind);

}  // namespace stepcast
