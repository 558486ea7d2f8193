#include "sim/search/plan/outlook.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/search/plan/least_memory.hpp"
#include "sim/study/goodput/goodput.hpp"

namespace stepcast {
namespace {

constexpr double kHour = 3600;
constexpr std::uint32_t kOfAnother = 32;  // simulations of a search that only a sentence needs

std::string hours_text(double hours) {
  return hours < 48 ? fmt::format("{:.3g} hours", hours) : fmt::format("{:.3g} days", hours / 24);
}

std::string short_factor(double factor) {
  return factor < 1.1 ? fmt::format("{:.4g}", factor) : fmt::format("{:.3g}", factor);
}

/// Returns the subject of "... fits", which claims no more than is known: the limit of simulations
/// may have left candidates open.
std::string nothing_of(const CapacityPlan& plan) {
  return plan.open > 0 ? "Nothing that was simulated" : "Nothing";
}

std::string gpus_of(const PlanSpace& space, const PlanChoice& choice) {
  const PlanSite& site = space.sites[choice.trial.site];
  return fmt::format("{} of {}", gpus_in_words(site.cluster.ranks()), site.cluster.name);
}

/// Searches the best plan of the same job on other sites, to answer what would be if; none where
/// nothing fits.
using BestOn = std::function<std::optional<PlanChoice>(std::vector<PlanSite> sites)>;

bool is_in_time(const PlanSpace& space, const PlanChoice& choice) {
  return choice.fits && choice.hours * kHour <= space.request.deadline->value;
}

/// The same cluster in the size that meets the deadline with fewest GPUs, among what was simulated.
const PlanChoice* fewest_gpus(const CapacityPlan& plan, const std::string& cluster) {
  const PlanChoice* fewest = nullptr;
  const auto gpus = [&](const PlanChoice& choice) {
    return plan.space.sites[choice.trial.site].cluster.ranks();
  };
  for (const PlanChoice& choice : plan.choices)
    if (plan.space.sites[choice.trial.site].typed == cluster && is_in_time(plan.space, choice) &&
        (fewest == nullptr || gpus(choice) < gpus(*fewest)))
      fewest = &choice;
  return fewest;
}

/// With faster adapters, of the sizes below that: the smallest that meets the deadline.
void add_network(const CapacityPlan& plan, const BestOn& best_on,
                 std::vector<std::string>& sentences) {
  const std::string& cluster = plan.space.sites[plan.choices.front().trial.site].typed;
  const PlanChoice* now = fewest_gpus(plan, cluster);
  if (now == nullptr)
    return;
  const std::uint32_t gpus = plan.space.sites[now->trial.site].cluster.ranks();
  std::map<std::uint32_t, PlanSite> sizes;
  for (const PlanSite& site : plan.space.sites)
    if (site.typed == cluster && site.cluster.ranks() < gpus && site.cluster.nodes > 1)
      sizes.emplace(site.cluster.ranks(), site);
  std::vector<PlanSite> smaller;
  std::optional<FasterNic> faster;
  for (auto& [fewer, site] : sizes) {
    faster = with_faster_nic(site.cluster);
    site.cluster = faster->cluster;
    smaller.push_back(site);
  }
  // By halves, as if more GPUs always took fewer hours: the size found meets the deadline, and a
  // smaller one may, too.
  const auto first = std::ranges::partition_point(smaller, [&](const PlanSite& site) {
    const auto found = best_on({site});
    return !found || found->hours * kHour > plan.space.request.deadline->value;
  });
  if (first == smaller.end())
    return;
  const std::uint32_t fewer = first->cluster.ranks();
  sentences.push_back(
      fmt::format("With {:g} instead of {:g} Gb/s adapters on {} the same deadline needs at least "
                  "{} GPUs fewer: {} instead of {}.",
                  faster->faster_gbps, faster->nominal_gbps, cluster, gpus - fewer, fewer, gpus));
}

PlanSite grown(const PlanSpace& space, PlanSite site, std::uint32_t factor) {
  const double each = site.hourly_cost / site.cluster.nodes;
  if (!space.request.global_batch)
    site.global_batch *= factor;
  site.cluster.nodes *= factor;
  site.hourly_cost = each * site.cluster.nodes;
  return site;
}

/// Nothing is in time: by how much, and what would be.
void add_missed_deadline(const CapacityPlan& plan, const BestOn& best_on,
                         std::vector<std::string>& sentences) {
  const auto& fastest = *std::ranges::min_element(
      plan.choices, {}, [](const PlanChoice& each) { return each.fits ? each.hours : 1e300; });
  const double limit = plan.space.request.deadline->value / kHour;
  const PlanSite& site = plan.space.sites[fastest.trial.site];
  sentences.push_back(
      fmt::format("{} meets the deadline of {}: the fastest, {}, takes {}, {} times as long.",
                  nothing_of(plan), hours_text(limit), gpus_of(plan.space, fastest),
                  hours_text(fastest.hours), short_factor(fastest.hours / limit)));
  const auto add = [&](const std::optional<PlanChoice>& found, const std::string& with) {
    if (found && found->hours <= limit)
      sentences.push_back(
          fmt::format("It would be met with {}: {}.", with, hours_text(found->hours)));
    return found && found->hours <= limit;
  };
  const FasterNic faster = with_faster_nic(site.cluster);
  PlanSite with_nic = site;
  with_nic.cluster = faster.cluster;
  bool met = site.cluster.nodes > 1 &&
             add(best_on({with_nic}), fmt::format("{:g} instead of {:g} Gb/s adapters",
                                                  faster.faster_gbps, faster.nominal_gbps));
  for (const std::uint32_t factor : {2U, 4U, 8U, 16U}) {
    if (std::uint64_t{site.cluster.ranks()} * factor > 16384)
      break;
    const auto found = best_on({grown(plan.space, site, factor)});
    if (add(found,
            fmt::format("{} GPUs of {}", site.cluster.ranks() * factor, site.cluster.name))) {
      met = true;
      break;
    }
  }
  if (!met)
    sentences.push_back(fmt::format(
        "Neither faster adapters nor up to 16 times the GPUs of {} would meet it: a larger global "
        "batch, another device or fewer samples might.",
        site.cluster.name));
}

void add_missed_budget(const CapacityPlan& plan, std::vector<std::string>& sentences) {
  const auto& cheapest = *std::ranges::min_element(
      plan.choices, {}, [](const PlanChoice& each) { return each.fits ? each.cost : 1e300; });
  const double budget = *plan.space.request.budget;
  sentences.push_back(fmt::format(
      "{} meets the budget of {:g} {}: the cheapest, {}, costs {:.4g}, {:.4g} more; the "
      "budget pays for {:.3g} % of the samples.",
      nothing_of(plan), budget, plan.space.prices.currency, gpus_of(plan.space, cheapest),
      cheapest.cost, cheapest.cost - budget, 100 * budget / cheapest.cost));
}

/// Some are in time and others within the budget.
void add_conflict(const CapacityPlan& plan, std::vector<std::string>& sentences) {
  const PlanRequest& request = plan.space.request;
  const auto cheapest = [&](bool in_time) {
    return *std::ranges::min_element(plan.choices, {}, [&](const PlanChoice& each) {
      return each.fits && (!in_time || is_in_time(plan.space, each)) ? each.cost : 1e300;
    });
  };
  const PlanChoice in_time = cheapest(true);
  const PlanChoice any = cheapest(false);
  sentences.push_back(fmt::format(
      "{} meets both deadline and budget: the cheapest in time, {}, costs {:.4g} {}, {:.4g} over "
      "the budget; the cheapest of all, {} for {:.4g}, takes {}.",
      nothing_of(plan), gpus_of(plan.space, in_time), in_time.cost, plan.space.prices.currency,
      in_time.cost - *request.budget, gpus_of(plan.space, any), any.cost, hours_text(any.hours)));
}

std::string too_large(const CapacityPlan& plan) {
  const PlanChoice& least = plan.choices.front();
  const Bytes has = plan.space.sites[least.trial.site].memory;
  const Bytes needs = least.forecast.memory.total();
  return fmt::format(
      "Nothing fits the {} that a GPU may hold: the least of all {} candidates, {} {}, needs {} on "
      "each of {}, {} too much.",
      format_bytes(has), plan.space.candidates.size(),
      plan.space.schedules[least.trial.schedule].name, least.layout, format_bytes(needs),
      gpus_of(plan.space, least), format_bytes(needs - has));
}

void add_utilisation(const CapacityPlan& plan, std::vector<std::string>& sentences) {
  const auto& best = *std::ranges::max_element(
      plan.choices, {}, [](const PlanChoice& each) { return each.fits ? each.utilisation : 0; });
  sentences.push_back(fmt::format("Nothing that was simulated has a utilisation of {}: {} has {}.",
                                  percent(*plan.space.request.least_utilisation),
                                  gpus_of(plan.space, best), percent(best.utilisation)));
}

void add_faults(const CapacityPlan& plan, std::vector<std::string>& sentences) {
  const PlanFaults& faults = plan.space.request.faults;
  if (faults.node_mtbf == Seconds{})
    return;
  const PlanChoice& best = plan.choices.front();
  const PlanSite& site = plan.space.sites[best.trial.site];
  const Goodput goodput = find_goodput({.mtbf = faults.node_mtbf / site.cluster.nodes,
                                        .costs = faults.costs,
                                        .length = Seconds{std::max(best.hours * kHour, 1.0)}});
  sentences.push_back(fmt::format(
      "Faults every {} on {} nodes leave {} of the time of the best as work (P5 {}, P95 {}), with "
      "a checkpoint every {}.",
      format_seconds(faults.node_mtbf / site.cluster.nodes), site.cluster.nodes,
      percent(goodput.efficiency), percent(goodput.p5.value), percent(goodput.p95.value),
      format_seconds(goodput.interval)));
}

/// Says on how many GPUs of each cluster the job fits at all.
void add_fewest_gpus(const CapacityPlan& plan, std::vector<std::string>& sentences) {
  const PlanSpace& space = plan.space;
  for (const std::size_t candidate : fewest_gpus_that_fit(space, plan.bounds)) {
    const PlanTrial trial = trial_of(space, space.candidates[candidate]);
    sentences.push_back(
        fmt::format("Fewest GPUs of {} that fit, of the sizes given: {}, {} on each with {} {}.",
                    space.sites[trial.site].cluster.name, space.sites[trial.site].cluster.ranks(),
                    format_bytes(memory_needed(space, trial)), space.schedules[trial.schedule].name,
                    layout_text(space, trial)));
  }
}

}  // namespace

std::vector<std::string> outlook_of(const CapacityPlan& plan, std::uint32_t workers,
                                    const std::function<void()>& finished) {
  std::vector<std::string> sentences;
  const PlanRequest& request = plan.space.request;
  const BestOn best_on = [&](std::vector<PlanSite> sites) -> std::optional<PlanChoice> {
    PlanSpace space = plan.space;
    space.sites = std::move(sites);
    space.candidates.clear();
    add_candidates(space, 0);
    const CapacityPlan found = search_plan(std::move(space), workers, kOfAnother, finished);
    if (found.choices.empty() || !found.choices.front().fits)
      return std::nullopt;
    return found.choices.front();
  };
  const auto any = [&](auto holds) { return std::ranges::any_of(plan.choices, holds); };
  if (!plan.choices.front().fits)
    return {too_large(plan)};
  const auto is_paid = [&](const PlanChoice& each) {
    return each.fits && each.cost <= *request.budget;
  };
  const auto is_timely = [&](const PlanChoice& each) { return is_in_time(plan.space, each); };
  if (request.deadline && any(is_timely))
    add_network(plan, best_on, sentences);
  else if (request.deadline)
    add_missed_deadline(plan, best_on, sentences);
  if (request.budget && !any(is_paid))
    add_missed_budget(plan, sentences);
  else if (request.budget && request.deadline && any(is_timely) &&
           !any([&](const auto& each) { return is_paid(each) && is_timely(each); }))
    add_conflict(plan, sentences);
  if (request.least_utilisation && !any([&](const auto& each) {
        return each.fits && each.utilisation >= *request.least_utilisation;
      }))
    add_utilisation(plan, sentences);
  add_faults(plan, sentences);
  add_fewest_gpus(plan, sentences);
  return sentences;
}

}  // namespace stepcast
