#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "sim/forecast/effects.hpp"
#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {
namespace {

constexpr double kHour = 3600;

bool meets(const PlanRequest& request, const PlanChoice& choice) {
  if (!choice.fits || (request.deadline && choice.hours * kHour > request.deadline->value))
    return false;
  if (request.budget && choice.cost > *request.budget)
    return false;
  return !request.least_utilisation || choice.utilisation >= *request.least_utilisation;
}

/// What misses a wish is ranked by what is missed.
bool is_ranked_by_cost(const PlanRequest& request, const PlanChoice& choice) {
  return choice.meets ? request.deadline.has_value()
                      : request.budget.has_value() && !request.deadline;
}

}  // namespace

PlanChoice choice_of(const PlanSpace& space, PlanTrial trial, Forecast forecast) {
  const PlanSite& site = space.sites[trial.site];
  PlanChoice choice{.trial = std::move(trial), .forecast = std::move(forecast)};
  choice.layout = layout_text(space, choice.trial);
  choice.hours = space.samples * sample_time(choice.forecast) / kHour / site.efficiency;
  choice.cost = choice.hours * site.hourly_cost;
  choice.utilisation = utilisation_of(space, choice.trial, choice.forecast);
  choice.fits = site.memory == Bytes{} || choice.forecast.memory.total() <= site.memory;
  choice.meets = meets(space.request, choice);
  return choice;
}

bool is_better(const CapacityPlan& plan, const PlanChoice& left, const PlanChoice& right) {
  const PlanRequest& request = plan.space.request;
  const auto rank = [&](const PlanChoice& choice) {
    const bool by_cost = is_ranked_by_cost(request, choice);
    const double first = !choice.fits ? choice.forecast.memory.total().value
                         : by_cost    ? choice.cost
                                      : choice.hours;
    const double second = by_cost ? choice.hours : choice.cost;
    return std::tuple(!choice.fits, !choice.meets, first, second,
                      choice.forecast.memory.total().value, choice.trial.site,
                      choice.trial.schedule);
  };
  const auto ranks = std::pair(rank(left), rank(right));
  return ranks.first != ranks.second ? ranks.first < ranks.second
                                     : left.trial.options < right.trial.options;
}

bool is_indistinguishable(const CapacityPlan& plan, const PlanChoice& choice) {
  const PlanChoice& best = plan.choices.front();
  const LikelyStep of_best = likely_step_of(best.forecast);
  const LikelyStep likely = likely_step_of(choice.forecast);
  if (choice.fits != best.fits || choice.meets != best.meets || of_best.basis.empty() ||
      likely.basis.empty())
    return false;
  const auto ranked_by =
      is_ranked_by_cost(plan.space.request, best) ? &PlanChoice::cost : &PlanChoice::hours;
  return choice.*ranked_by * (likely.low / choice.forecast.iteration_time) <=
         best.*ranked_by * (of_best.high / best.forecast.iteration_time);
}

std::vector<std::size_t> best_of_each_cluster(const CapacityPlan& plan) {
  std::vector<std::size_t> best;
  std::set<std::string> clusters;
  for (std::size_t i = 0; i < plan.choices.size(); ++i)
    if (plan.choices[i].fits &&
        clusters.insert(plan.space.sites[plan.choices[i].trial.site].typed).second)
      best.push_back(i);
  return best;
}

void rank_choices(CapacityPlan& plan) {
  std::ranges::stable_sort(plan.choices,
                           [&](const auto& a, const auto& b) { return is_better(plan, a, b); });
  const auto is_same = [](const PlanChoice& a, const PlanChoice& b) { return a.trial == b.trial; };
  plan.choices.erase(std::unique(plan.choices.begin(), plan.choices.end(), is_same),
                     plan.choices.end());
  plan.front = front_of(
      plan.choices, [](const PlanChoice& choice) { return choice.hours; },
      [](const PlanChoice& choice) { return choice.cost; });
  if (plan.choices.empty())
    return;
  const std::uint32_t site = plan.choices.front().trial.site;
  const auto at_best = [site](const PlanChoice& choice, double value) {
    return choice.trial.site == site ? value : std::numeric_limits<double>::infinity();
  };
  plan.memory_front = front_of(
      plan.choices, [&](const PlanChoice& choice) { return at_best(choice, choice.hours); },
      [&](const PlanChoice& choice) {
        return at_best(choice, choice.forecast.memory.total().value);
      });
}

void add_choices(CapacityPlan& plan, const std::vector<PlanTrial>& trials, std::uint32_t workers,
                 const std::function<void()>& finished) {
  std::vector<TrialResult> results = run_trials(plan.space, trials, workers, finished);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].forecast)
      plan.choices.push_back(choice_of(plan.space, trials[i], *std::move(results[i].forecast)));
  rank_choices(plan);
}

std::vector<std::size_t> front_of(const std::vector<PlanChoice>& choices,
                                  const std::function<double(const PlanChoice&)>& first,
                                  const std::function<double(const PlanChoice&)>& second) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i].fits)
      order.push_back(i);
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(first(choices[i]), second(choices[i])); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order)
    if (front.empty() || second(choices[i]) < second(choices[front.back()]))
      front.push_back(i);
  return front;
}

}  // namespace stepcast
