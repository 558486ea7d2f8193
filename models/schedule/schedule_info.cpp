#include "models/schedule/schedule_info.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/memory.hpp"

namespace stepcast {

ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options) {
  ScheduleOptions effective;
  std::vector<std::string> names;
  for (const OptionInfo& option : schedule.options) {
    effective[option.name] = option.default_value;
    names.push_back(option.name);
  }
  for (const auto& [name, value] : options) {
    if (!effective.contains(name))
      throw InputError(fmt::format("{}: unknown option {}: expected one of {}{}", schedule.name,
                                   in_quotes(name), fmt::join(names, ", "),
                                   did_you_mean(name, names)));
    effective[name] = value;
  }
  return effective;
}

ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options,
                                  const Workload& workload) {
  ScheduleOptions effective = effective_options(schedule, options);
  if (workload.passes > 1 && !options.contains(kAccumulation) && effective.contains(kAccumulation))
    effective[kAccumulation] = std::to_string(workload.passes);
  resolve_optimiser(effective, workload);
  return effective;
}

}  // namespace stepcast
