#pragma once
// Which cluster, how many GPUs, which layout and schedule: searched and said why.

#include <map>

#include "sim/forecast/likely_range.hpp"
#include "sim/search/plan/plan_trial.hpp"

namespace stepcast {

/// A candidate that was simulated.
struct PlanChoice {
  PlanTrial trial;
  Forecast forecast;
  std::string layout;
  double hours = 0;              ///< Of the job, faults included.
  double cost = 0;               ///< In the currency of the prices.
  double utilisation = 0;        ///< See utilisation_of().
  bool fits = true;              ///< A GPU's memory.
  bool meets = true;             ///< Everything that the user asks for.
  std::optional<double> chance;  ///< Of meeting the deadline.
  std::vector<std::string> why;
};

/// What the best would gain from one change.
struct PlanChange {
  std::string change;   ///< "global_batch=128", "200 instead of 100 Gb/s between nodes"
  std::string refusal;  ///< Why there is no forecast of it.
  Seconds iteration_time{};
  LikelyStep likely{};  ///< Where it is likely to lie.
  double gain = 0;      ///< In samples a second, relative.
  Bytes memory{};
  bool fits = true;
};

struct CapacityPlan {
  PlanSpace space;
  std::vector<PlanBound> bounds;          ///< Of its candidates.
  std::vector<PlanChoice> choices;        ///< All that were simulated, best first.
  std::vector<std::size_t> front;         ///< No other is faster and cheaper; fastest first.
  std::vector<std::size_t> memory_front;  ///< Of the best's cluster: none is faster and smaller.
  std::size_t too_large = 0;              ///< Candidates beyond a GPU's memory, by the bound.
  std::map<std::string, std::size_t> refused;  ///< By reason.
  std::size_t bounded = 0;                     ///< Not simulated: cannot be the best of a size.
  std::size_t open = 0;  ///< Not simulated, though bounds leave it open: a limit or signal came.
  std::vector<PlanChange> changes;
  std::vector<std::string> outlook;  ///< Sentences: deadline, budget, network, faults.
};

/// Bounds of all candidates, then simulations, lowest bound first, until no other candidate of a
/// size can be faster than the fastest that was simulated, and no other size be both faster and
/// cheaper; then changes of the best of each size, one at a time, for as long as one helps. The
/// same for any number of workers. A signal that asks to stop (see StopsBetweenJobs) ends all that
/// once the first is simulated; before that it throws Stopped. Throws InputError.
CapacityPlan find_plan(const PlanRequest& request, std::uint32_t workers,
                       const std::function<void()>& finished);

/// The search alone, without outlook and reasons: simulates at most `most` candidates.
CapacityPlan search_plan(PlanSpace space, std::uint32_t workers, std::uint32_t most,
                         const std::function<void()>& finished);

/// Whether the plan's order puts `left` before `right`: what meets all wishes first; then by cost
/// where there is a deadline that can be met, else by time.
bool is_better(const CapacityPlan& plan, const PlanChoice& left, const PlanChoice& right);

/// Returns whether the likely range of a choice overlaps with that of the best in what choices are
/// ranked by, so that the forecasts do not tell which of the two is better.
bool is_indistinguishable(const CapacityPlan& plan, const PlanChoice& choice);

/// Returns the indices of the best choice on each cluster, best first. A cluster on which nothing
/// that was simulated fits has none.
std::vector<std::size_t> best_of_each_cluster(const CapacityPlan& plan);

/// Sorts the choices, each once, and finds the fronts.
void rank_choices(CapacityPlan& plan);

/// Simulates further trials, and ranks what is forecast among the choices.
void add_choices(CapacityPlan& plan, const std::vector<PlanTrial>& trials, std::uint32_t workers,
                 const std::function<void()>& finished);

/// Changes one option of the best choice of each size on the front at a time, takes the change that
/// gains most, and goes on until none helps or kRounds are over; before that in the same way, in
/// analytic simulations, what other schedules of data parallelism do best there, where it is within
/// kNear of the best. Options that the user lists stay. What is found joins the choices; order and
/// front are made anew.
void improve_plan(CapacityPlan& plan, std::uint32_t workers, const std::function<void()>& finished);

/// Simulates layouts of the best one's size that no other is both faster and smaller than, by their
/// bounds, and finds which of them stay so.
void find_memory_front(CapacityPlan& plan, std::uint32_t workers,
                       const std::function<void()>& finished);

/// A choice with hours, cost and whether it fits and meets.
PlanChoice choice_of(const PlanSpace& space, PlanTrial trial, Forecast forecast);

/// Indices of choices that fit and that no other is below in both, by the first.
std::vector<std::size_t> front_of(const std::vector<PlanChoice>& choices,
                                  const std::function<double(const PlanChoice&)>& first,
                                  const std::function<double(const PlanChoice&)>& second);

}  // namespace stepcast
