#include "models/schedule/list/registry.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/edited/host_work.hpp"
#include "models/schedule/edited/input_pipeline.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "models/schedule/options.hpp"

namespace stepcast {

#define STEPCAST_SCHEDULE(name) ScheduleInfo name##_schedule();
#include "models/schedule/list/schedules.inc"
#undef STEPCAST_SCHEDULE

namespace {

bool has_option(const ScheduleInfo& schedule, std::string_view name) {
  return std::ranges::find(schedule.options, name, &OptionInfo::name) != schedule.options.end();
}

// Every schedule accumulates gradients and has an optimiser, whose state takes memory. One that
// communicates in every pass does so itself and has the option already.
void add_common_options(ScheduleInfo& schedule) {
  if (!has_option(schedule, kAccumulation)) {
    schedule.options.push_back(accumulation_option());
    schedule.accumulates_itself = false;
  }
  schedule.options.push_back(optimiser_option());
}

std::vector<ScheduleInfo> with_common_options(std::vector<ScheduleInfo> schedules) {
  std::ranges::for_each(schedules, add_common_options);
  return schedules;
}

/// Those of add_schedule(): a list, as references to them are handed out.
std::list<ScheduleInfo>& added_schedules() {
  static std::list<ScheduleInfo> schedules;
  return schedules;
}

const ScheduleInfo* find_listed(std::string_view name) {
  for (const auto* schedules : {&all_schedules(), &run_time_schedules()})
    for (const ScheduleInfo& schedule : *schedules)
      if (schedule.name == name)
        return &schedule;
  return nullptr;
}

const ScheduleInfo* find_schedule(std::string_view name) {
  if (const ScheduleInfo* listed = find_listed(name))
    return listed;
  for (const ScheduleInfo& schedule : added_schedules())
    if (schedule.name == name)
      return &schedule;
  for (const ScheduleInfo& preset : preset_schedules())
    if (preset.name == name)
      return &preset;
  return nullptr;
}

}  // namespace

const std::vector<ScheduleInfo>& all_schedules() {
  static const std::vector<ScheduleInfo> schedules = with_common_options({
#define STEPCAST_SCHEDULE(name) name##_schedule(),
#include "models/schedule/list/schedules.inc"
#undef STEPCAST_SCHEDULE
  });
  return schedules;
}

const std::vector<ScheduleInfo>& first_order_schedules() {
  static const std::vector<ScheduleInfo> schedules = [] {
    std::vector<ScheduleInfo> found = all_schedules();
    std::erase_if(found, [](const ScheduleInfo& schedule) {
      return schedule.second_order || schedule.compressed || schedule.more_work;
    });
    return found;
  }();
  return schedules;
}

std::vector<ScheduleInfo> compressed_schedules() {
  std::vector<ScheduleInfo> found = all_schedules();
  std::erase_if(found, [](const ScheduleInfo& schedule) { return !schedule.compressed; });
  return found;
}

const ScheduleInfo& sequential_schedule() {
  return *std::ranges::find(all_schedules(), true, &ScheduleInfo::sequential);
}

void add_schedule(ScheduleInfo schedule) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (schedule.name.empty() || schedule.name.find_first_not_of(kAllowed) != std::string::npos)
    throw InputError(
        fmt::format("schedule {}: expected a name of lower-case letters, digits and hyphens",
                    in_quotes(schedule.name)));
  if (find_listed(schedule.name) != nullptr)
    throw InputError(fmt::format("schedule {}: there is one of that name; give it another",
                                 in_quotes(schedule.name)));
  add_common_options(schedule);
  auto& added = added_schedules();
  const auto same = std::ranges::find(added, schedule.name, &ScheduleInfo::name);
  if (same == added.end())
    added.push_back(std::move(schedule));
  else
    *same = std::move(schedule);
}

bool is_schedule(std::string_view name) {
  return find_schedule(name) != nullptr;
}

void refuse_schedule(std::string_view name, const std::string& expected,
                     std::span<const std::string> known) {
  if (name == "fsdp")
    throw InputError(
        "unknown schedule \"fsdp\": expected zero with stage=3, or a schedule that cuts the "
        "model, such as 1f1b, with zero=3");
  throw InputError(fmt::format("unknown schedule {}: expected one of {}{}", in_quotes(name),
                               expected, did_you_mean(name, known)));
}

const ScheduleInfo& schedule_of(std::string_view name) {
  if (const ScheduleInfo* found = find_schedule(name))
    return *found;
  std::vector<std::string> names;
  for (const auto* schedules : {&all_schedules(), &run_time_schedules()})
    for (const ScheduleInfo& schedule : *schedules)
      names.push_back(schedule.name);
  for (const ScheduleInfo& schedule : added_schedules())
    names.push_back(schedule.name);
  std::vector<std::string> known = names;
  for (const ScheduleInfo& preset : preset_schedules())
    known.push_back(preset.name);
  const std::vector<std::string> cut = pipeline_names();
  if (std::ranges::find(cut, name) != cut.end())
    throw InputError(
        fmt::format("schedule \"{}\" is a pipeline schedule: expected one that is not, such as {}",
                    name, fmt::join(names, ", ")));
  known.insert(known.end(), cut.begin(), cut.end());
  refuse_schedule(
      name,
      fmt::format("{}, or, to cut the model, {}", fmt::join(names, ", "), fmt::join(cut, ", ")),
      known);
}

const std::vector<OptionInfo>& options_of_schedule(std::string_view name) {
  const PipelineInfo* pipeline = find_pipeline(name);
  return pipeline != nullptr ? pipeline->options : schedule_of(name).options;
}

namespace {

Plan build_plan(const ScheduleInfo& info, const Workload& workload, const Cluster& cluster,
                const OptionReader& read) {
  if (workload.pipeline)
    throw InputError(fmt::format(
        "{}: {} was recorded in {} stages: expected a schedule that cuts the model, such as {}",
        info.name, workload.name, workload.pipeline->stages, workload.pipeline->schedule));
  Plan plan = info.build(workload, cluster, read);
  plan.summary.compressed = info.compressed;
  plan.summary.bound = info.bound;
  if (!info.accumulates_itself)
    plan = with_accumulation(std::move(plan), workload, read.count(kAccumulation));
  plan = with_host(std::move(plan), workload, cluster);
  return with_input(std::move(plan), workload.input);
}

}  // namespace

Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(schedule);
  const ScheduleOptions effective = effective_options(info, options);
  return build_plan(info, workload, cluster, OptionReader(info.name, info.options, effective));
}

std::uint32_t training_ranks(std::string_view schedule, const Cluster& cluster,
                             const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(schedule);
  const ScheduleOptions effective = effective_options(info, options);
  return info.training_ranks
             ? info.training_ranks(cluster, OptionReader(info.name, info.options, effective))
             : cluster.ranks();
}

}  // namespace stepcast
