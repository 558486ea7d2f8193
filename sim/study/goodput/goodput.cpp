#include "sim/study/goodput/goodput.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

// The outages of every seed, drawn once for all intervals: common random numbers.
std::vector<std::vector<Outage>> outages_of(const GoodputRequest& request) {
  std::vector<std::vector<Outage>> outages;
  for (std::uint64_t seed = 0; seed < request.seeds; ++seed)
    outages.push_back(request.fleet
                          ? sample_outages(*request.fleet, request.nodes + request.spares, seed)
                          : draw_outages({.mtbf = request.mtbf}, 1, request.length, seed));
  return outages;
}

Seconds length_of(const GoodputRequest& request) {
  return request.fleet ? request.fleet->length : request.length;
}

LifeOptions life_of(const GoodputRequest& request, Seconds interval) {
  return {.nodes = request.fleet ? request.nodes : 1,
          .spares = request.fleet ? request.spares : 0,
          .interval = interval,
          .costs = request.costs,
          .policy = request.policy,
          .length = length_of(request)};
}

Goodput at_interval(const GoodputRequest& request, Seconds interval,
                    const std::vector<std::vector<Outage>>& outages) {
  const LifeOptions options = life_of(request, interval);
  Goodput goodput{.interval = interval, .length = options.length};
  std::vector<double> efficiencies;
  for (const auto& each : outages) {
    const JobLife life = live(options, each);
    const double share = 1.0 / request.seeds;
    efficiencies.push_back(life.efficiency);
    goodput.efficiency += life.efficiency * share;
    goodput.shares.checkpoints += life.checkpoints * share;
    goodput.shares.lost += life.lost * share;
    goodput.shares.restarting += life.restarting * share;
    goodput.shares.waiting += life.waiting * share;
    goodput.faults += life.faults * share;
  }
  goodput.shares.efficiency = goodput.efficiency;
  std::ranges::sort(efficiencies);
  goodput.p5 = quantile_of_sorted(efficiencies, 0.05);
  goodput.p95 = quantile_of_sorted(efficiencies, 0.95);
  return goodput;
}

// Of (C + R) / M = 20 one restart in e^20 is followed by a checkpoint.
void check_work(const GoodputRequest& request, Seconds mtbf) {
  constexpr double kHopeless = 20, kMostFaults = 2e7;
  const Seconds least = request.costs.checkpoint + request.costs.restart;
  if (least > mtbf * kHopeless)
    throw InputError(fmt::format(
        "{}: a fault every {} on average, but a restart and a checkpoint take {}: no run gets "
        "through",
        request.fleet ? "`nodes`" : "`mtbf`", format_seconds(mtbf), format_seconds(least)));
  const double faults = length_of(request) / mtbf * request.seeds;
  if (faults > kMostFaults)
    throw InputError(
        fmt::format("`seeds`: {} runs of {} have {:.2g} faults, more than the {:.0e} that are gone "
                    "through",
                    request.seeds, format_seconds(length_of(request)), faults, kMostFaults));
}

void check(const GoodputRequest& request) {
  if (!request.fleet && request.mtbf <= Seconds{})
    throw InputError("`mtbf`: expected a time above 0, or `faults` in its place");
  if (length_of(request) <= Seconds{})
    throw InputError("`length`: expected a time above 0");
  if (request.fleet && request.fleet->outages.empty())
    throw InputError("`faults`: the record holds no fault");
  if (request.fleet && request.nodes + request.spares > request.fleet->servers)
    throw InputError(fmt::format("`nodes`: the fleet has {} servers, found {} with the spares",
                                 request.fleet->servers, request.nodes + request.spares));
  if (request.interval <= Seconds{} && request.costs.checkpoint <= Seconds{})
    throw InputError("`interval`: a checkpoint that takes no time has no best interval: give one");
}

Seconds mtbf_of(const GoodputRequest& request) {
  if (!request.fleet)
    return request.mtbf;
  const RecordedFleet& fleet = *request.fleet;
  const double share = static_cast<double>(request.nodes) / fleet.servers;
  return fleet.length / (static_cast<double>(fleet.outages.size()) * share);
}

}  // namespace

Goodput find_goodput(const GoodputRequest& request) {
  check(request);
  const Seconds mtbf = mtbf_of(request);
  check_work(request, mtbf);
  const Seconds daly = daly_interval(request.costs.checkpoint, mtbf);
  const auto outages = outages_of(request);
  Goodput best =
      at_interval(request, request.interval > Seconds{} ? request.interval : daly, outages);
  if (request.interval <= Seconds{})
    for (const double factor : {0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0})
      if (Goodput other = at_interval(request, daly * factor, outages);
          other.efficiency > best.efficiency * (1 + 1e-3))
        best = std::move(other);
  best.mtbf = mtbf;
  best.daly_interval = daly;
  best.daly_efficiency = daly_efficiency(best.interval, request.costs, mtbf);
  if (request.fleet)
    best.outlook = outlook_of(*request.fleet);
  return best;
}

std::vector<std::string> warnings_of(const GoodputRequest& request, const Goodput& goodput) {
  std::vector<std::string> warnings;
  if (request.costs.checkpoint > goodput.mtbf)
    warnings.push_back(fmt::format(
        "A checkpoint takes {}, longer than the {} between faults: hardly one is ever finished.",
        format_seconds(request.costs.checkpoint), format_seconds(goodput.mtbf)));
  if (request.costs.restart > goodput.mtbf)
    warnings.push_back(fmt::format(
        "A restart takes {}, longer than the {} between faults: hardly one is ever finished.",
        format_seconds(request.costs.restart), format_seconds(goodput.mtbf)));
  if (goodput.length < goodput.interval)
    warnings.push_back(fmt::format(
        "A run of {} is shorter than the interval of {}: unless something stops it, it saves "
        "nothing, and its work counts as done all the same.",
        format_seconds(goodput.length), format_seconds(goodput.interval)));
  return warnings;
}

}  // namespace stepcast
