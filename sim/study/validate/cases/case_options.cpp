#include "sim/study/validate/cases/case_options.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/passes/orders.hpp"

namespace stepcast {

void check_case_options(const ScheduleOptions& options) {
  std::vector<OptionInfo> known = schedule_of(megatron_order(false)).options;
  std::ranges::copy(schedule_of(megatron_order(true)).options, std::back_inserter(known));
  std::vector<std::string> names;
  std::ranges::transform(known, std::back_inserter(names), &OptionInfo::name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) == names.end())
      throw InputError(fmt::format("`set` {}={}: expected an option of 1f1b or interleaved{}", name,
                                   value, did_you_mean(name, names)));
    const auto option = std::ranges::find(known, name, &OptionInfo::name);
    try {
      if (option != known.end())
        check_option(*option, value);
    } catch (const InputError& error) {
      throw InputError(fmt::format("`set` {}: {}", name, error.what()));
    }
  }
}

}  // namespace stepcast
