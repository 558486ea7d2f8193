#pragma once
// The list of all schedules, above their families; what a schedule needs to be in it is in
// schedule_info.hpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Every schedule, in the order in which `stepcast list` prints them. Traits say what each can do.
const std::vector<ScheduleInfo>& all_schedules();

/// The schedules that have a plan and replicate the model on every rank.
const std::vector<ScheduleInfo>& data_parallel_schedules();

/// The schedules whose workers choose at run time whom they wait for. They have no plan, and
/// building one says so; what they do stands in sim/asynchronous.
const std::vector<ScheduleInfo>& asynchronous_schedules();

/// The schedules of passes, whose stages and tensor groups hold parts of the model.
const std::vector<ScheduleInfo>& partitioned_schedules();

/// The data-parallel schedules that run on any workload and send whole gradients. They are compared
/// where nobody names schedules.
const std::vector<ScheduleInfo>& first_order_schedules();

/// The schedules that send compressed gradients.
std::vector<ScheduleInfo> compressed_schedules();

/// The one that sends whole gradients when all are there: any other without its overlap.
const ScheduleInfo& sequential_schedule();

/// Adds a schedule of the caller's, which schedule_of() finds from here on and the lists above do
/// not hold; in place of one of the caller's that has its name. Not while another thread uses the
/// registry. Throws InputError for the name of a schedule that is in the lists, or an ill one.
void add_schedule(ScheduleInfo schedule);

/// The schedule or preset of that name, also one of the caller's; null if there is none.
const ScheduleInfo* find_schedule(std::string_view name);

/// Throws InputError naming the nearest schedule if there is none of that name.
const ScheduleInfo& schedule_of(std::string_view name);

/// Returns the schedule for a job with these options. Where the option `exchange` of a
/// model-parallel schedule names a data-parallel one, the result has the options of that schedule
/// in place of those of its own exchange. An option whose name both have is called `exchange_NAME`
/// for the exchange. Throws InputError for a schedule that is no exchange.
const ScheduleInfo& schedule_of(std::string_view name, const ScheduleOptions& options);

/// Builds the plan. Throws InputError for an unknown option (nearest named) or a bad value.
Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options);

/// How many ranks train: those that only serve take no samples. Throws as build_plan() does.
std::uint32_t training_ranks(std::string_view schedule, const Cluster& cluster,
                             const ScheduleOptions& options);

}  // namespace stepcast
