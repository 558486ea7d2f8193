#include "sim/search/options/pipeline_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/search/options/pipeline_fit.hpp"
#include "sim/search/options/plan_options.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

[[noreturn]] void refuse(Bytes limit, Bytes before, const FittedOptions& fitted,
                         const std::string& saving) {
  const std::string saved = fitted.least < before
                                ? fmt::format("{} with {}", format_bytes(fitted.least), saving)
                                : "and no option that may change saves any";
  throw InputError(
      fmt::format("`memory`: {} is not enough: {} as it is, {}; expected more, or more stages (pp) "
                  "or tp",
                  format_bytes(limit), format_bytes(before), saved));
}

}  // namespace

FoundJob with_found_options(const ScheduledJob& job, Bytes asked, bool search, EditedStep& result) {
  const StopsBetweenJobs stops;
  FoundJob found = found_with(job, job.options);
  const OptionSpace space = option_space_of(job, found.run);
  OptionSteps steps(space, found.run.plan.graph.size());
  ScheduleOptions options = job.options;
  std::vector<std::string> notes;
  const Bytes before = found.before;
  Bytes limit = memory_limit(asked, job.cluster);
  if (limit > Bytes{} && before > limit && (search || asked > Bytes{})) {
    const auto step = steps.of(job.options, {}, true);
    const FittedOptions fitted = fitted_options(job, steps, limit);
    result.tried += fitted.tried;
    if (!fitted.options && asked > Bytes{})
      refuse(limit, before, fitted, changes_in_words(space, job.options, fitted.leanest, false));
    if (fitted.options) {
      options = *fitted.options;
      notes.push_back(
          fmt::format("it begins with {}, to hold no more than {}; the step took {} before",
                      changes_in_words(space, job.options, options, false), format_bytes(limit),
                      format_seconds(*step)));
    } else {
      limit = before;
    }
  }
  if (search)
    options = best_options(steps, options, limit, result);
  result.simulated += steps.simulated();
  result.options = changed_options(job.options, options);
  if (options != job.options)
    found = found_with(job, options);
  found.before = before;
  found.notes = std::move(notes);
  return found;
}

}  // namespace stepcast
