#include "sim/study/goodput/goodput.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "models/base/text.hpp"
#include "sim/study/goodput/goodput_check.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kFirstSeeds = 128;  // the least at which P95 has an interval is 72
constexpr std::uint32_t kMostSeeds = 8192;  // where they are chosen
constexpr double kEnough = 0.01;

std::vector<Outage> outages_of(const GoodputRequest& request, std::uint64_t seed) {
  const std::uint32_t nodes = request.nodes + request.spares;
  if (request.fleet && !request.fitted)
    return sample_outages(*request.fleet, nodes, seed);
  if (request.fleet)
    return draw_outages(fitted_to(*request.fleet), nodes, request.length, seed);
  if (request.sources)
    return draw_outages(*request.sources, nodes, request.length, seed);
  return draw_outages({.mtbf = request.mtbf}, 1, request.length, seed);
}

bool has_nodes(const GoodputRequest& request) {
  return request.fleet || request.sources;
}

// `mtbf` is of the job as a whole: one node that is back at once.
LifeOptions life_of(const GoodputRequest& request, Seconds interval) {
  return {.nodes = has_nodes(request) ? request.nodes : 1,
          .spares = has_nodes(request) ? request.spares : 0,
          .interval = interval,
          .costs = request.costs,
          .policy = request.policy,
          .length = length_of(request),
          .speed = has_nodes(request) ? request.speed : JobSpeed{},
          .bins = request.bins};
}

/// Runs of one interval, seed by seed; the outages are drawn once for all intervals. A signal that
/// asks to stop ends them behind the first.
class Runs {
 public:
  explicit Runs(const GoodputRequest& request) : request_(request) {}

  std::vector<JobLife> at(Seconds interval, std::uint32_t seeds) {
    std::vector<JobLife> lives;
    for (std::uint32_t seed = 0; seed < seeds && (seed == 0 || stop_signal() == 0); ++seed) {
      if (seed == outages_.size())
        outages_.push_back(outages_of(request_, seed));
      lives.push_back(live(life_of(request_, interval), outages_[seed]));
    }
    return lives;
  }

 private:
  const GoodputRequest& request_;
  std::vector<std::vector<Outage>> outages_;
};

std::vector<double> sorted_efficiencies(const std::vector<JobLife>& lives) {
  std::vector<double> values;
  for (const JobLife& life : lives)
    values.push_back(life.efficiency);
  std::ranges::sort(values);
  return values;
}

bool is_known(const std::vector<double>& sorted) {
  return std::ranges::all_of(std::initializer_list<double>{0.05, 0.5, 0.95}, [&](double share) {
    return half_width(sorted, share).value_or(1) < kEnough;
  });
}

double mean_efficiency(const std::vector<JobLife>& lives) {
  double sum = 0;
  for (const JobLife& life : lives)
    sum += life.efficiency;
  return sum / static_cast<double>(lives.size());
}

std::vector<GoodputBin> bins_of(const std::vector<JobLife>& lives) {
  std::vector<GoodputBin> bins(lives.front().efficiencies.size());
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    std::vector<double> values;
    for (const JobLife& life : lives)
      values.push_back(life.efficiencies[bin]);
    std::ranges::sort(values);
    bins[bin] = {.p5 = quantile_of_sorted(values, 0.05),
                 .p50 = quantile_of_sorted(values, 0.5),
                 .p95 = quantile_of_sorted(values, 0.95)};
  }
  return bins;
}

Goodput summary_of(const std::vector<JobLife>& lives) {
  Goodput goodput{.seeds = static_cast<std::uint32_t>(lives.size())};
  const double share = 1 / static_cast<double>(lives.size());
  for (const JobLife& life : lives) {
    goodput.efficiency += life.efficiency * share;
    goodput.shares.checkpoints += life.checkpoints * share;
    goodput.shares.lost += life.lost * share;
    goodput.shares.restarting += life.restarting * share;
    goodput.shares.waiting += life.waiting * share;
    goodput.shares.slowed += life.slowed * share;
    goodput.faults += life.faults * share;
  }
  goodput.shares.efficiency = goodput.efficiency;
  const std::vector<double> sorted = sorted_efficiencies(lives);
  goodput.p5 = estimate_quantile<double>(sorted, 0.05);
  goodput.p50 = estimate_quantile<double>(sorted, 0.5);
  goodput.p95 = estimate_quantile<double>(sorted, 0.95);
  goodput.bins = bins_of(lives);
  return goodput;
}

// Daly's, or a multiple of it that is better over the same seeds.
Seconds best_interval(const GoodputRequest& request, Seconds daly, Runs& runs,
                      std::uint32_t seeds) {
  Seconds best = std::max(daly, request.costs.persist);
  double most = mean_efficiency(runs.at(best, seeds));
  for (const double factor : {0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0}) {
    if (stop_signal() != 0)
      break;
    if (daly * factor < request.costs.persist)
      continue;
    const double efficiency = mean_efficiency(runs.at(daly * factor, seeds));
    if (efficiency > most * (1 + 1e-3)) {
      most = efficiency;
      best = daly * factor;
    }
  }
  return best;
}

}  // namespace

Goodput find_goodput(const GoodputRequest& request) {
  const StopsBetweenJobs stops;
  check_goodput(request);
  const Seconds mtbf = mtbf_of(request);
  const Seconds daly = daly_interval(request.costs.checkpoint, mtbf);
  Runs runs(request);
  std::uint32_t seeds = request.seeds > 0 ? request.seeds : kFirstSeeds;
  const Seconds interval =
      request.interval > Seconds{} ? request.interval : best_interval(request, daly, runs, seeds);
  std::vector<JobLife> lives = runs.at(interval, seeds);
  while (request.seeds == 0 && seeds < kMostSeeds && stop_signal() == 0 &&
         !is_known(sorted_efficiencies(lives)))
    lives = runs.at(interval, seeds *= 2);
  Goodput goodput = summary_of(lives);
  goodput.interval = interval;
  goodput.length = length_of(request);
  goodput.mtbf = mtbf;
  goodput.daly_interval = daly;
  goodput.daly_efficiency = daly_efficiency(interval, request.costs, mtbf);
  if (request.fleet)
    goodput.outlook = outlook_of(*request.fleet);
  return goodput;
}

std::vector<SparesTried> try_spares(GoodputRequest request) {
  const StopsBetweenJobs stops;
  const std::uint32_t most =
      request.fleet && !request.fitted
          ? request.fleet->servers - std::min(request.fleet->servers, request.nodes)
          : request.nodes;
  request.bins = 0;
  std::vector<SparesTried> tried;
  std::size_t best = 0;
  for (std::uint32_t spares = 0; spares <= most; spares = spares == 0 ? 1 : 2 * spares) {
    request.spares = spares;
    const Goodput goodput = find_goodput(request);
    request.interval = goodput.interval;
    const double efficiency = goodput.efficiency;
    const double share = static_cast<double>(request.nodes) / (request.nodes + spares);
    tried.push_back({spares, efficiency, efficiency * share});
    if (tried.back().paid > tried[best].paid)
      best = tried.size() - 1;
    if ((tried.size() > best + 2 && !lacks_nodes(request, goodput)) || stop_signal() != 0)
      break;
  }
  return tried;
}

bool lacks_nodes(const GoodputRequest& request, const Goodput& goodput) {
  constexpr double kLong = 0.1;
  return has_nodes(request) && goodput.shares.waiting >= kLong;
}

std::optional<SparesRemedy> find_spares_remedy(const GoodputRequest& request,
                                               const Goodput& goodput) {
  constexpr double kGain = 0.01;
  GoodputRequest with = request;
  with.bins = 0;
  if (request.policy == LossPolicy::Wait)
    with.policy = LossPolicy::Restart;
  std::optional<SparesTried> best;
  for (const SparesTried& tried : try_spares(with))
    if ((tried.spares > request.spares ||
         (with.policy != request.policy && tried.spares == request.spares)) &&
        (!best || tried.paid > best->paid))
      best = tried;
  if (!best)
    return std::nullopt;
  with.spares = best->spares;  // with the best interval of its own, as a user would run it
  const double efficiency = find_goodput(with).efficiency;
  const auto paid = [&](double of, std::uint32_t spares) {
    return of * request.nodes / (static_cast<double>(request.nodes) + spares);
  };
  if (efficiency < goodput.efficiency + kGain ||
      paid(efficiency, best->spares) <= paid(goodput.efficiency, request.spares))
    return std::nullopt;
  return SparesRemedy{
      .spares = best->spares, .restarts = with.policy != request.policy, .efficiency = efficiency};
}

}  // namespace stepcast
