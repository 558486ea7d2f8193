#include "sim/cli/layout_option.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"

namespace stepcast {

CommandOption layout_option(std::string& layout) {
  return {
      "--layout", "L", &layout,
      "how the model is cut, such as tp=8,pp=4 (tensor, pipeline; cp: context,\nep, etp: experts); "
      "data parallelism (dp) follows"};
}

void add_layout(const std::string& layout, RunRequest& request) try {
  const std::vector<std::string> axes = layout_axes();
  for (const auto& [axis, ways] : split_key_values(layout)) {
    if (std::ranges::find(axes, axis) == axes.end())
      throw InputError(
          fmt::format("expected one of {}, found {}", fmt::join(axes, ", "), in_quotes(axis)));
    const std::string setting = axis + "=" + ways;
    for (const std::string& other : request.settings)
      if (other.starts_with(axis + "="))
        throw InputError(axis + ": given twice, as " +
                         (other == setting ? setting : other + " and " + setting));
    request.settings.push_back(setting);
  }
} catch (const InputError& error) {
  throw InputError(fmt::format("--layout {}: {}", layout, error.what()));
}

void require_cut(const std::string& layout, const Experiment& experiment) {
  if (layout.empty() || experiment.schedules.size() != 1 || is_hybrid(experiment))
    return;
  const std::vector<std::string> names = pipeline_names();
  if (!is_schedule(experiment.schedules.front()))
    refuse_schedule(experiment.schedules.front(), fmt::format("{}", fmt::join(names, ", ")), names);
  throw InputError(fmt::format("--layout {}: {} does not cut the model; expected one of {}", layout,
                               experiment.schedules.front(), fmt::join(names, ", ")));
}

}  // namespace stepcast
