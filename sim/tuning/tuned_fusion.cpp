#include "sim/tuning/tuned_fusion.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

bool is_to_be_tuned(const TuningJob& job) {
  const auto fusion = job.options.find("fusion");
  return job.schedule == "dear" && fusion != job.options.end() && fusion->second == "bo";
}

Tuning tune_from(const TuningJob& job, const std::string& first) try {
  return tune(job, {.option = "fusion_buffer", .first = first});
} catch (const InputError& error) {
  throw InputError(fmt::format("dear: option fusion: bo: {}", error.what()));
}

}  // namespace

ResolvedOptions resolve_fusion(const TuningJob& job) {
  if (!is_to_be_tuned(job))
    return {.options = job.options, .note = ""};
  TuningJob with_buffer = job;
  with_buffer.options["fusion"] = "buffer";
  const auto buffer = with_buffer.options.extract("fusion_buffer");
  const Tuning tuning = tune_from(with_buffer, buffer ? buffer.mapped() : "");
  const std::string& best = tuning.best_trial().text;
  with_buffer.options["fusion_buffer"] = best;
  return {.options = std::move(with_buffer.options),
          .note = fmt::format("fusion=bo: {} trials chose fusion_buffer={}, which fusion=buffer "
                              "with that value repeats.",
                              tuning.trials.size(), best)};
}

}  // namespace stepcast
