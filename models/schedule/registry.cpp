#include "models/schedule/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/bsp.hpp"
#include "models/schedule/ddp.hpp"
#include "models/schedule/dear.hpp"
#include "models/schedule/horovod.hpp"
#include "models/schedule/kfac/schedules.hpp"
#include "models/schedule/wfbp.hpp"

namespace stepcast {

const std::vector<ScheduleInfo>& all_schedules() {
  static const std::vector<ScheduleInfo> schedules{
      bsp_schedule(),      wfbp_schedule(),     ddp_schedule(),      horovod_schedule(),
      dear_schedule(),     d_kfac_schedule(),   mpd_kfac_schedule(), kaisa_schedule(),
      spd_kfac_schedule(), pad_kfac_schedule(), dp_kfac_schedule()};
  return schedules;
}

const std::vector<ScheduleInfo>& first_order_schedules() {
  static const std::vector<ScheduleInfo> schedules = [] {
    std::vector<ScheduleInfo> found = all_schedules();
    std::erase_if(found, [](const ScheduleInfo& schedule) { return schedule.second_order; });
    return found;
  }();
  return schedules;
}

const ScheduleInfo& schedule_of(std::string_view name) {
  const auto& schedules = all_schedules();
  const auto found = std::ranges::find(schedules, name, &ScheduleInfo::name);
  if (found != schedules.end())
    return *found;
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : schedules)
    names.push_back(schedule.name);
  throw InputError(fmt::format("unknown schedule \"{}\": expected one of {}{}", name,
                               fmt::join(names, ", "), did_you_mean(name, names)));
}

ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options) {
  ScheduleOptions effective;
  std::vector<std::string> names;
  for (const OptionInfo& option : schedule.options) {
    effective[option.name] = option.default_value;
    names.push_back(option.name);
  }
  for (const auto& [name, value] : options) {
    if (!effective.contains(name))
      throw InputError(fmt::format("{}: unknown option \"{}\": expected one of {}{}", schedule.name,
                                   name, fmt::join(names, ", "), did_you_mean(name, names)));
    effective[name] = value;
  }
  return effective;
}

Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(schedule);
  return info.build(workload, cluster, effective_options(info, options));
}

}  // namespace stepcast
