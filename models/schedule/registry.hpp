#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// One option of a schedule as users see it.
struct OptionInfo {
  std::string name;           ///< "fusion_buffer"
  std::string default_value;  ///< "25MiB"
  std::string meaning;        ///< One line, with the unit or the choices.
};

/// Options given by the user, as text; every schedule checks its own.
using ScheduleOptions = std::map<std::string, std::string>;

/// A published system: a name, its options, and the function that writes its plan.
struct ScheduleInfo {
  std::string name;     ///< "dear"
  std::string summary;  ///< One line.
  std::string source;   ///< Paper.
  std::vector<OptionInfo> options;
  Plan (*build)(const Workload&, const Cluster&, const ScheduleOptions&);
  bool second_order =
      false;                ///< Needs layers with Kronecker factors; takes other iteration counts.
  bool compressed = false;  ///< Sends less than the gradients: convergence may suffer.
  bool accumulates_itself = true;  ///< False: build_plan() adds the passes of `accumulation`.
};

/// Every schedule, in the order in which `stepcast list` prints them.
const std::vector<ScheduleInfo>& all_schedules();

/// Those that run on any workload and send whole gradients: what is compared where nobody names
/// schedules.
const std::vector<ScheduleInfo>& first_order_schedules();

/// Those that send compressed gradients.
std::vector<ScheduleInfo> compressed_schedules();
/// Whether it is one of them; false for an unknown name.
bool is_compressed(std::string_view schedule);

/// Throws InputError naming the nearest schedule if there is none of that name.
const ScheduleInfo& schedule_of(std::string_view name);

/// Builds the plan. Throws InputError for an unknown option (nearest named) or a bad value.
Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options);

/// The options in force: defaults overlaid with `options`.
ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options);

}  // namespace stepcast
