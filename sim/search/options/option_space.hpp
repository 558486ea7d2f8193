#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/forecast/planned_run.hpp"
#include "sim/search/accepted_edit.hpp"

namespace stepcast {

/// An option that a search may change, and the values that it tries.
struct SearchedOption {
  OptionInfo info;  ///< Its default is the value in force where none is given.
  std::vector<std::string> values;
  ScheduleOptions beside{};  ///< Given with any other value, so that the same is trained.
};

/// Where a search looks: options, the plan that they make and the step that it takes.
struct OptionSpace {
  std::vector<SearchedOption> options;
  std::function<Plan(const ScheduleOptions&)> plan;  ///< Throws InputError for bad values.
  std::function<Seconds(const Plan&)> step;
  std::function<Seconds(const Plan&)> estimate{};  ///< Cheaper, where `step` is dear; else empty.
};

/// Returns what a search may change of `job`, which must outlive the space. `run` is the plan of
/// the job as it is and is needed only during the call. These are options that change nothing of
/// what is trained: sizes, in powers of two from 64 KiB to 64 MiB, and words of which the option
/// says so (OptionInfo::alternatives). Those that were given stay as they are. Compressed
/// gradients, whose buckets change what is sent, keep their options; of a transformer in a pipeline
/// there are also micro-batches, unless the user gives their order.
OptionSpace option_space_of(const ScheduledJob& job, const PlannedRun& run);

/// Returns the value in force.
std::string value_of(const SearchedOption& option, const ScheduleOptions& options);

/// Returns the options with that value; the default is not given.
ScheduleOptions with_value(ScheduleOptions options, const SearchedOption& option,
                           const std::string& value);

/// "zero=1, micro_batch=2 (global_batch=32)": the values that are not those of `before`; with
/// `instead` "zero=1 instead of 0, ..".
std::string changes_in_words(const OptionSpace& space, const ScheduleOptions& before,
                             const ScheduleOptions& after, bool instead);

/// Returns the options of `after` that `before` lacks or has with another value.
ScheduleOptions changed_options(const ScheduleOptions& before, const ScheduleOptions& after);

/// The share of the step that an option must gain to be accepted: for steps of seconds, what a
/// table in hundredths of a millisecond can show.
inline constexpr double kLeastOptionGain = 1e-4;

/// Returns the report of a change of options, from `was` to `with`, with its gain: the step took
/// `before` and takes `after`.
AcceptedEdit accepted_change(const OptionSpace& space, const ScheduleOptions& was,
                             const ScheduleOptions& with, Seconds before, Seconds after);

/// Steps under options, the same plan simulated once.
class OptionSteps {
 public:
  /// `tasks`: of the plan that the search begins with.
  OptionSteps(const OptionSpace& space, std::size_t tasks);

  /// Nothing for values that the schedule refuses, for a plan that holds more than `memory` (0: no
  /// matter), and, but with `any_length`, for one of more than twice the tasks and than 10,000.
  std::optional<Seconds> of(const ScheduleOptions& options, Bytes memory, bool any_length = false);

  const OptionSpace& space() const { return space_; }
  std::size_t simulated() const { return known_.size(); }
  /// Of all that were simulated: see simulated_work().
  double work() const { return work_; }

 private:
  const OptionSpace& space_;
  std::size_t most_tasks_;
  double work_ = 0;
  std::map<std::uint64_t, Seconds> known_;  // By hash of the plan.
};

}  // namespace stepcast
