#pragma once

#include <vector>

#include "sim/search/options/option_space.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// Options that a search came to by simulation.
struct OptionWay {
  ScheduleOptions options;
  Seconds before{};  ///< The step that all begin with.
  Seconds step{};
  std::vector<AcceptedEdit> accepted;  ///< One, or none where the options stay.
};

/// Returns first the best options, as best_options() does, where a simulation is dear: all is
/// searched by estimates, and what they like best is simulated, with the two values of each option
/// beside it that promise most, as long as that finds a shorter step and the simulations are few
/// (two at least). What counts is the simulated step. Its options are told together, as the steps
/// between were not simulated. Then come, for each other word that an option of words may have, the
/// best options beside it: estimates rank the orders of servers wrongly by 10 %, and edits shorten
/// the steps of one order by more than those of another.
///
/// `tasks`: of the plan that it begins with. Expects space.estimate. Counts in `result` what was
/// estimated and simulated.
std::vector<OptionWay> option_ways_by_estimate(const OptionSpace& space, std::size_t tasks,
                                               const ScheduleOptions& begin, Bytes memory,
                                               EditedStep& result);

}  // namespace stepcast
