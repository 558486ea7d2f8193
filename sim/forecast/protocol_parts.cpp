#include "sim/forecast/protocol_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace stepcast {
namespace {

template <class Count>
void add_counts(std::vector<double>& sums, const std::vector<Count>& counts) {
  if (sums.size() < counts.size())
    sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    sums[i] += static_cast<double>(counts[i]);
}

bool is_transfer(Cause cause) {
  return cause == Cause::Transfer || cause == Cause::Server;
}

// Without slower workers a wait (for a lock, a group or a server's queue) is caused by models under
// way alone.
bool workers_differ(const SlowDown& slow) {
  return !slow.laws.empty();
}

// Parts of a mean iteration of a worker; what was under way when the run ended is no more than idle
// time.
void add_parts(Forecast& forecast, const ProtocolTotals& totals, const Workload& workload,
               const ProtocolJob& job) {
  const Seconds passes = forward_time(workload) + backward_time(workload);
  const double slowness = totals.computing / totals.iterations / passes;
  Breakdown& parts = forecast.breakdown;
  parts = {.forward = forward_time(workload) * slowness,
           .backward = backward_time(workload) * slowness};
  if (job.reduce > Seconds{})
    parts.other_compute.push_back({"update", job.reduce});
  Seconds transfers{};
  for (std::size_t i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const Seconds each = totals.waiting[i] / totals.iterations;
    if (each > Seconds{})
      forecast.protocol.waiting.push_back({name_of(cause), each});
    (is_transfer(cause) || !workers_differ(job.slow_down) ? transfers : parts.waiting) += each;
  }
  if (transfers > Seconds{})
    parts.exposed_communication.push_back({"models", transfers});
  const Seconds rest = forecast.iteration_time - total_of(parts);
  if (rest >= Seconds{})
    parts.idle = rest;
  else
    scale(parts, forecast.iteration_time / total_of(parts));
  forecast.communication = parts.exposed_communication;
}

void add_path(Forecast& forecast) {
  Seconds begin{};
  const auto add = [&](std::string what, Seconds time) {
    if (time > Seconds{})
      forecast.critical_path.push_back({std::move(what), begin, time});
    begin += time;
  };
  const Breakdown& parts = forecast.breakdown;
  forecast.critical_path.clear();
  add("forward, backward and update", compute_of(parts));
  add("models under way", total_of(parts.exposed_communication));
  add("waiting for others", parts.waiting);
  add("idle", parts.idle);
}

void add_reasons(Forecast& forecast) {
  forecast.why.clear();
  const Seconds compute = forecast.breakdown.forward + forecast.breakdown.backward;
  forecast.why.push_back(fmt::format(
      "A worker computes {} of a mean iteration of {} ({:.1f} %).", format_seconds(compute),
      format_seconds(forecast.iteration_time), 100 * (compute / forecast.iteration_time)));
  const auto longest = std::ranges::max_element(forecast.protocol.waiting, {}, &NamedTime::time);
  if (longest != forecast.protocol.waiting.end())
    forecast.why.push_back(fmt::format("It waits longest for {}: {} ({:.1f} %).", longest->name,
                                       format_seconds(longest->time),
                                       100 * (longest->time / forecast.iteration_time)));
}

}  // namespace

void ProtocolTotals::add(const ProtocolRun& run) {
  ProtocolTotals of_run;
  of_run.iterations = static_cast<double>(run.all_iterations());
  of_run.slowest = *std::ranges::min_element(run.iterations);
  of_run.time = run.makespan;
  of_run.computing = run.computing;
  of_run.waiting.assign(run.waiting.begin(), run.waiting.end());
  of_run.sent = run.models_sent;
  of_run.between_nodes = run.models_between_nodes;
  add_counts(of_run.report.gaps, run.gaps);
  add_counts(of_run.report.staleness, run.staleness);
  of_run.engine = run.engine;
  add(of_run);
}

void ProtocolTotals::add(const ProtocolTotals& more) {
  iterations += more.iterations;
  slowest += more.slowest;
  time += more.time;
  computing += more.computing;
  for (std::size_t i = 0; i < kCauses; ++i)
    waiting[i] += more.waiting[i];
  sent += more.sent;
  between_nodes += more.between_nodes;
  add_counts(report.gaps, more.report.gaps);
  add_counts(report.staleness, more.report.staleness);
  if (more.engine.activities > 0)
    engine.version = more.engine.version;
  engine.simgrid = engine.simgrid || more.engine.simgrid;
  engine.activities += more.engine.activities;
}

void ProtocolTotals::scale(double times) {
  iterations *= times;
  slowest *= times;
  time = time * times;
  computing = computing * times;
  for (Seconds& each : waiting)
    each = each * times;
  sent *= times;
  between_nodes *= times;
  for (double& count : report.gaps)
    count *= times;
  for (double& count : report.staleness)
    count *= times;
}

void tell_parts(Forecast& forecast, const ProtocolTotals& totals, const Workload& workload,
                const ProtocolJob& job) {
  add_parts(forecast, totals, workload, job);
  add_path(forecast);
  add_reasons(forecast);
}

}  // namespace stepcast
