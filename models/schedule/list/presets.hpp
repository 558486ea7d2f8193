#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// A schedule as a paper or a release of a library ran it: options that hold on any cluster.
struct Preset {
  std::string name;         ///< "dear-icdcs23": system, venue and year, or library and version
  std::string schedule;     ///< "dear"
  std::string meaning;      ///< What it sets, in one line.
  std::string source;       ///< Where the values are from.
  ScheduleOptions options;  ///< What differs from the schedule's defaults, or must not follow them.
};

/// In the order of `stepcast list presets`.
const std::vector<Preset>& all_presets();

/// Null for an unknown name.
const Preset* find_preset(std::string_view name);

/// Presets as schedules of their own, which differ from the original in defaults: schedule_of()
/// finds them, so that a preset can be named wherever a schedule can.
const std::vector<ScheduleInfo>& preset_schedules();

/// Throws InputError, with the nearest name, if there is none.
void require_preset(std::string_view name);

}  // namespace stepcast
