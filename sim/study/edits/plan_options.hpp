#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/schedule/option_info.hpp"
#include "sim/study/edits/step_search.hpp"
#include "sim/study/scenario.hpp"

namespace stepcast {

/// An option that a search may change, and the values that it tries.
struct SearchedOption {
  OptionInfo info;
  std::vector<std::string> values;
};

/// Those options that change nothing of what is trained: sizes, in powers of two from 64 KiB to 64
/// MiB, and words of which the option says so (OptionInfo::alternatives). Those that were given
/// stay as they are.
std::vector<SearchedOption> searched_options(const std::vector<OptionInfo>& options,
                                             const ScheduleOptions& given);

/// Where a search looks: options, the plan that they make and the step that it takes.
struct OptionSpace {
  std::vector<SearchedOption> options;
  std::function<Plan(const ScheduleOptions&)> plan;  ///< Throws InputError for bad values.
  std::function<Seconds(const Plan&)> step;
};

/// The options under which the step is shortest. Adds what it accepts to `result`, and fills it
/// from step_before on.
///
/// One option after the other takes each of its values and keeps the best; it ends when a round
/// over all gains less than 0.1 %. `memory`: what a GPU may hold; 0: no matter.
ScheduleOptions best_options(const OptionSpace& space, const ScheduleOptions& given, Bytes memory,
                             EditedStep& result);

/// The scenario with those options of its schedule under which the step is shortest: the sizes in
/// which gradients travel (partitions, buckets, buffers) and the order in which servers take them
/// (by priority: P3), as best_options() finds them. A round costs 11 simulations for each size.
/// Compressed gradients, whose buckets change what is sent, keep their options.
Scenario with_best_options(const Scenario& scenario, const std::string& schedule, Bytes memory,
                           EditedStep& result);

}  // namespace stepcast
