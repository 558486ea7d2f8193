#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "sim/search/plan/capacity_plan.hpp"
#include "sim/search/plan/moves.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr int kRounds = 6;
constexpr std::size_t kMostSizes = 8;
constexpr double kGain = 1e-6;  // of rounding at least
constexpr double kNear = 1.25;  // times the best of a size: what options of a schedule may gain

/// Somewhere on the way up: changed for as long as that helps.
struct Climber {
  PlanTrial at;
  double sample_s = 0;
  bool moved = false;
};

Climber climber_at(const PlanChoice& choice) {
  return {.at = choice.trial, .sample_s = sample_time(choice.forecast)};
}

/// The best of each size.
std::vector<Climber> leaders_of(const CapacityPlan& plan) {
  std::vector<Climber> leaders;
  for (const std::size_t i : plan.front)
    if (leaders.size() < kMostSizes)
      leaders.push_back(climber_at(plan.choices[i]));
  return leaders;
}

/// The best of each other schedule of data parallelism on these sizes that is not far behind: with
/// options of its own it may lead.
std::vector<Climber> contenders_of(const CapacityPlan& plan) {
  std::vector<Climber> contenders;
  for (const Climber& leader : leaders_of(plan)) {
    std::map<std::uint32_t, const PlanChoice*> best;  // by schedule
    for (const PlanChoice& choice : plan.choices) {
      const PlanTrial& trial = choice.trial;
      const double time = sample_time(choice.forecast);
      if (trial.site != leader.at.site || trial.schedule == leader.at.schedule || !choice.fits ||
          plan.space.schedules[trial.schedule].cuts || time > leader.sample_s * kNear)
        continue;
      const PlanChoice*& known = best[trial.schedule];
      if (known == nullptr || time < sample_time(known->forecast))
        known = &choice;
    }
    for (const auto& [schedule, choice] : best)
      contenders.push_back(climber_at(*choice));
  }
  return contenders;
}

using MovesOf = std::vector<PlanTrial> (*)(const PlanSpace& space, const PlanTrial& from);

/// One round of all; those that nothing helps any more leave for `ended`. What is found on the way.
std::vector<PlanChoice> climb(const PlanSpace& space, std::vector<Climber>& climbers, MovesOf moves,
                              std::uint32_t workers, const std::function<void()>& finished,
                              std::vector<Climber>& ended) {
  std::vector<PlanTrial> trials;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < climbers.size(); ++i)
    for (PlanTrial& trial : moves(space, climbers[i].at)) {
      trials.push_back(std::move(trial));
      of.push_back(i);
    }
  std::vector<TrialResult> results = run_trials(space, trials, workers, finished);
  std::vector<std::optional<PlanChoice>> best(climbers.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].forecast)
      continue;
    PlanChoice choice = choice_of(space, trials[i], *std::move(results[i].forecast));
    const double time = sample_time(choice.forecast);
    if (!choice.fits || time >= climbers[of[i]].sample_s * (1 - kGain))
      continue;
    climbers[of[i]] = {choice.trial, time, true};
    best[of[i]] = std::move(choice);
  }
  std::vector<PlanChoice> found;
  std::vector<Climber> left;
  for (std::size_t i = 0; i < climbers.size(); ++i) {
    (best[i] ? left : ended).push_back(climbers[i]);
    if (best[i])
      found.push_back(*std::move(best[i]));
  }
  climbers = std::move(left);
  return found;
}

/// Where simulations of the plan are not analytic, climbers start from analytic times.
void time_analytically(const PlanSpace& analytic, std::vector<Climber>& climbers,
                       std::uint32_t workers, const std::function<void()>& finished) {
  std::vector<PlanTrial> trials;
  for (const Climber& climber : climbers)
    trials.push_back(climber.at);
  const std::vector<TrialResult> results = run_trials(analytic, trials, workers, finished);
  for (std::size_t i = 0; i < results.size(); ++i)
    climbers[i].sample_s = results[i].forecast ? sample_time(*results[i].forecast) : 0;
}

/// Varies options of what may yet lead, in analytic simulations, and simulates where that came to.
/// Where the plan's own are not, sizes alone: algorithms are ranked otherwise by flows.
void vary_contenders(CapacityPlan& plan, std::uint32_t workers,
                     const std::function<void()>& finished) {
  std::vector<Climber> climbers = contenders_of(plan);
  PlanSpace analytic = plan.space;
  analytic.candidates.clear();
  analytic.request.fidelity = Fidelity::Analytic;
  const bool is_analytic = plan.space.request.fidelity == Fidelity::Analytic;
  if (!is_analytic)
    time_analytically(analytic, climbers, workers, finished);
  std::vector<Climber> ended;
  for (int round = 0; round < kRounds && !climbers.empty() && stop_signal() == 0; ++round)
    climb(analytic, climbers, is_analytic ? moves_from : resized_from, workers, finished, ended);
  ended.insert(ended.end(), climbers.begin(), climbers.end());
  std::vector<PlanTrial> trials;
  for (const Climber& climber : ended)
    if (climber.moved)
      trials.push_back(climber.at);
  add_choices(plan, trials, workers, finished);
}

}  // namespace

void improve_plan(CapacityPlan& plan, std::uint32_t workers,
                  const std::function<void()>& finished) {
  // Those that were leading climb, too: with options of their own they may lead again.
  std::vector<Climber> leaders = leaders_of(plan);
  vary_contenders(plan, workers, finished);
  for (Climber& leader : leaders_of(plan))
    if (std::ranges::find(leaders, leader.at, &Climber::at) == leaders.end())
      leaders.push_back(std::move(leader));
  std::vector<Climber> ended;
  for (int round = 0; round < kRounds && !leaders.empty() && stop_signal() == 0; ++round)
    std::ranges::move(climb(plan.space, leaders, moves_from, workers, finished, ended),
                      std::back_inserter(plan.choices));
  rank_choices(plan);
}

void find_memory_front(CapacityPlan& plan, std::uint32_t workers,
                       const std::function<void()>& finished) {
  constexpr std::size_t kMost = 12;
  if (plan.choices.empty() || !plan.choices.front().fits)
    return;
  const std::uint32_t site = plan.choices.front().trial.site;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.bounds.size(); ++i)
    if (plan.space.candidates[i].site == site && plan.bounds[i].refusal.empty() &&
        plan.bounds[i].memory > Bytes{})
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return plan.bounds[i].sample_s; });
  std::vector<PlanTrial> trials;
  Bytes least{std::numeric_limits<double>::infinity()};
  for (const std::size_t i : order) {
    // A step down that is worth telling of.
    if (plan.bounds[i].memory >= least * 0.9 || trials.size() == kMost)
      continue;
    least = plan.bounds[i].memory;
    trials.push_back(trial_of(plan.space, plan.space.candidates[i]));
  }
  add_choices(plan, trials, workers, finished);
}

}  // namespace stepcast
