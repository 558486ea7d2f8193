#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/search/plan/outlook.hpp"

namespace stepcast {
namespace {

// Ethernet and InfiniBand as sold, Gb/s.
constexpr std::array kSold{1.0, 10.0, 25.0, 40.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0};

/// Trials that differ from the best one by one thing, and what that is.
struct Changed {
  std::string change;
  PlanTrial trial;
};

Changed with_option(const PlanTrial& best, const std::string& name, const std::string& value) {
  Changed changed{fmt::format("{}={}", name, value), best};
  changed.trial.options[name] = value;
  return changed;
}

std::vector<Changed> changed_layouts(const PlanSpace& space, const PlanTrial& best) {
  std::vector<Changed> all;
  if (!space.schedules[best.schedule].cuts)
    return all;
  const std::uint32_t batch = space.sites[best.site].global_batch;
  all.push_back(with_option(best, "global_batch", std::to_string(2 * batch)));
  for (const char* name : {"tp", "pp", "micro_batch"}) {
    const std::uint32_t ways = count_in(best.options, name);
    all.push_back(with_option(best, name, std::to_string(2 * ways)));
    if (ways % 2 == 0)
      all.push_back(with_option(best, name, std::to_string(ways / 2)));
  }
  if (best.options.contains("recompute") && best.options.at("recompute") != "none")
    all.push_back(with_option(best, "recompute", "none"));
  return all;
}

}  // namespace

FasterNic with_faster_nic(const Cluster& cluster) {
  FasterNic faster{.cluster = cluster};
  const double has = cluster.nic.bandwidth.value * 8e-9;
  const auto nominal =
      std::ranges::find_if(kSold, [&](double each) { return each >= has * 0.999; });
  const bool known = nominal != kSold.end() && nominal + 1 != kSold.end();
  faster.nominal_gbps = known ? *nominal : has;
  faster.faster_gbps = known ? *(nominal + 1) : 2 * has;
  faster.cluster.nic.bandwidth = cluster.nic.bandwidth * (faster.faster_gbps / faster.nominal_gbps);
  return faster;
}

std::vector<PlanChange> find_changes(const CapacityPlan& plan, std::uint32_t workers,
                                     const std::function<void()>& finished) {
  const PlanChoice& best = plan.choices.front();
  PlanSpace space = plan.space;
  space.candidates.clear();
  std::vector<Changed> changed = changed_layouts(space, best.trial);
  if (space.sites[best.trial.site].cluster.nodes > 1) {
    PlanSite site = space.sites[best.trial.site];
    FasterNic faster = with_faster_nic(site.cluster);
    site.cluster = std::move(faster.cluster);
    changed.push_back({fmt::format("adapters of {:g} instead of {:g} Gb/s", faster.faster_gbps,
                                   faster.nominal_gbps),
                       best.trial});
    changed.back().trial.site = static_cast<std::uint32_t>(space.sites.size());
    space.sites.push_back(std::move(site));
  }
  std::vector<PlanTrial> trials;
  for (const Changed& each : changed)
    trials.push_back(each.trial);
  std::vector<TrialResult> results = run_trials(space, trials, workers, finished);
  std::vector<PlanChange> changes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].is_missing())
      continue;
    PlanChange change{.change = changed[i].change, .refusal = results[i].refusal};
    if (results[i].forecast) {
      const Forecast& forecast = *results[i].forecast;
      const Bytes has = space.sites[trials[i].site].memory;
      change.iteration_time = forecast.iteration_time;
      change.likely = likely_step_of(forecast);
      change.gain = forecast.throughput / best.forecast.throughput - 1;
      change.memory = forecast.memory.total();
      change.fits = has == Bytes{} || change.memory <= has;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace stepcast
