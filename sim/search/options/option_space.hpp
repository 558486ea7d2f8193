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

/// Those options that change nothing of what is trained: sizes, in powers of two from 64 KiB to 64
/// MiB, and words of which the option says so (OptionInfo::alternatives). Those that were given
/// stay as they are.
std::vector<SearchedOption> searched_options(const std::vector<OptionInfo>& options,
                                             const ScheduleOptions& given);

/// What a search may change of a job, which is planned as `run` says and must outlive the space.
/// Compressed gradients, whose buckets change what is sent, keep their options; of a transformer
/// in a pipeline there are also micro-batches, unless the user gives their order.
OptionSpace option_space_of(const ScheduledJob& job, const PlannedRun& run);

/// The value in force.
std::string value_of(const SearchedOption& option, const ScheduleOptions& options);

/// The options with that value; the default is not given.
ScheduleOptions with_value(ScheduleOptions options, const SearchedOption& option,
                           const std::string& value);

/// "zero=1, micro_batch=2 (global_batch=32)": the values that are not those of `before`; with
/// `instead` "zero=1 instead of 0, ..".
std::string changes_in_words(const OptionSpace& space, const ScheduleOptions& before,
                             const ScheduleOptions& after, bool instead);

/// Those of `after` that `before` has not, or not so.
ScheduleOptions changed_options(const ScheduleOptions& before, const ScheduleOptions& after);

/// What a search must gain by an option, of the step: what a table tells of seconds in hundredths
/// of a millisecond.
inline constexpr double kLeastOptionGain = 1e-4;

/// What is told of such a change, and of the steps before and behind it.
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
