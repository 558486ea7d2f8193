#pragma once
// The list of all schedules, above their families; what a schedule needs to be in it is in
// schedule_info.hpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Every schedule, in the order in which `stepcast list` prints them.
const std::vector<ScheduleInfo>& all_schedules();

/// Those that run on any workload and send whole gradients: what is compared where nobody names
/// schedules.
const std::vector<ScheduleInfo>& first_order_schedules();

/// Those that send compressed gradients.
std::vector<ScheduleInfo> compressed_schedules();

/// The one that sends whole gradients when all are there: any other without its overlap.
const ScheduleInfo& sequential_schedule();

/// Adds a schedule of the caller's, which schedule_of() finds from here on and the lists above do
/// not hold; in place of one of the caller's that has its name. Not while another thread uses the
/// registry. Throws InputError for the name of a schedule that is in the lists, or an ill one.
void add_schedule(ScheduleInfo schedule);

/// Throws InputError naming the nearest schedule if there is none of that name.
const ScheduleInfo& schedule_of(std::string_view name);

/// The options of a schedule, or of a pipeline schedule. Throws InputError for an unknown name.
const std::vector<OptionInfo>& options_of_schedule(std::string_view name);

/// Whether schedule_of() finds it.
bool is_schedule(std::string_view name);

/// Throws InputError for a name that none has: those that would do, in words, and the nearest of
/// `known`; of one that has another name here, that.
[[noreturn]] void refuse_schedule(std::string_view name, const std::string& expected,
                                  std::span<const std::string> known);

/// Builds the plan. Throws InputError for an unknown option (nearest named) or a bad value.
Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options);

/// How many ranks train: those that only serve take no samples. Throws as build_plan() does.
std::uint32_t training_ranks(std::string_view schedule, const Cluster& cluster,
                             const ScheduleOptions& options);

}  // namespace stepcast
