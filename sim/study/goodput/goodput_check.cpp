#include "sim/study/goodput/goodput_check.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

// Of (C + R) / M = 20 one restart in e^20 is followed by a checkpoint.
void check_work(const GoodputRequest& request, Seconds mtbf) {
  constexpr double kHopeless = 20, kMostFaults = 2e7;
  const Seconds least = request.costs.checkpoint + request.costs.restart;
  if (least > mtbf * kHopeless)
    throw InputError(fmt::format(
        "{}: a fault every {} on average, but a restart and a checkpoint take {}: no run gets "
        "through",
        request.fleet || request.sources ? "`nodes`" : "`mtbf`", format_seconds(mtbf),
        format_seconds(least)));
  const double faults = length_of(request) / mtbf * request.seeds;
  if (faults > kMostFaults)
    throw InputError(
        fmt::format("`seeds`: {} runs of {} have {:.2g} faults, more than the {:.0e} that are gone "
                    "through",
                    request.seeds, format_seconds(length_of(request)), faults, kMostFaults));
}

void check_fleet(const GoodputRequest& request) {
  if (request.fleet->outages.empty())
    throw InputError("`faults`: the record holds no fault");
  if (!request.fitted && request.nodes + request.spares > request.fleet->servers)
    throw InputError(fmt::format("`nodes`: the fleet has {} servers, found {} with the spares",
                                 request.fleet->servers, request.nodes + request.spares));
}

void check_interval(const GoodputRequest& request) {
  if (request.interval <= Seconds{} && request.costs.checkpoint <= Seconds{})
    throw InputError("`interval`: a checkpoint that takes no time has no best interval: give one");
  if (request.interval > Seconds{} && request.interval < request.costs.persist)
    throw InputError(fmt::format(
        "`interval`: a checkpoint takes {} to be stored: expected at least that, found {}",
        format_seconds(request.costs.persist), format_seconds(request.interval)));
}

}  // namespace

Seconds length_of(const GoodputRequest& request) {
  return request.fleet && !request.fitted ? request.fleet->length : request.length;
}

Seconds mtbf_of(const GoodputRequest& request) {
  if (request.sources)
    return mtbf_of(*request.sources, request.nodes);
  if (!request.fleet)
    return request.mtbf;
  const RecordedFleet& fleet = *request.fleet;
  const double share = static_cast<double>(request.nodes) / fleet.servers;
  return fleet.length / (static_cast<double>(fleet.outages.size()) * share);
}

void check_goodput(const GoodputRequest& request) {
  if (!request.fleet && !request.sources && request.mtbf <= Seconds{})
    throw InputError("`mtbf`: expected a time above 0, or `faults` or `fail` in its place");
  if (length_of(request) <= Seconds{})
    throw InputError("`length`: expected a time above 0");
  if (request.fleet)
    check_fleet(request);
  if (request.sources && request.sources->slows_links() && !request.speed)
    throw InputError(
        "`fail` link: how slow a job gets is forecast: name `workload`, `cluster` and "
        "`schedule`");
  check_interval(request);
  check_work(request, mtbf_of(request));
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
