#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/forecast/scheduled_job.hpp"
#include "sim/forecast/tuning/search.hpp"

namespace stepcast {

/// How to tune, as the user writes it; empty: the default.
struct TuningRequest {
  std::string option;  ///< A numeric option of the schedule.
  std::string strategy = "bo";
  std::optional<std::uint32_t> trials;  ///< Default 10; exhaustive: as many as there are plans.
  std::string low;                      ///< Sizes: default 1MiB (binary: 0B).
  std::string high;                     ///< Sizes: default 256MiB (binary: the model's size).
  std::string first;                    ///< Where `bo` begins; sizes: default 25MiB.
  std::uint32_t seed = 1;
  /// Default: where the range is above zero and spans a factor of ten. Start-up costs go with the
  /// inverse of a buffer, so 1 and 2 MiB differ more than 201 and 202. DeAR searches linearly.
  std::optional<bool> logarithmic;
  double xi = 0.1;
  /// What an earlier run found of a value, so that it is not simulated again; may be empty.
  std::function<std::optional<Measurement>(const std::string& text)> known{};
  std::function<void(const Trial& trial)> tried{};  ///< Called after every trial; may be empty.
};

/// What a search found.
struct Tuning {
  std::string option;
  std::string strategy;
  SearchRange range;
  std::uint32_t seed = 1;
  std::vector<Trial> trials;  ///< In the order of measuring; at least one.
  std::size_t best = 0;       ///< The first of the fastest; feasible.

  const Trial& best_trial() const { return trials[best]; }
};

/// The step of a job, of any schedule: steady, or of an asynchronous one as it is forecast. Throws
/// InputError.
Measurement measured(const ScheduledJob& job);

/// Where tune() is going to search. Throws InputError as it does.
SearchRange range_of(const ScheduledJob& job, const TuningRequest& request);

/// Searches the value of the option with the shortest time per sample, which is that of the
/// shortest iteration where every value trains as many samples in a step. The trials of a strategy
/// depend on nothing but the job, the request and its seed. A value that the schedule refuses is a
/// trial that is never the best. Throws InputError for an unknown option or strategy, a range that
/// is empty or reversed or in the wrong unit, and for what the schedule says if it refuses every
/// value or the first of `bo`.
Tuning tune(const ScheduledJob& job, const TuningRequest& request);

}  // namespace stepcast
