#pragma once

#include <vector>

#include "models/base/fields.hpp"
#include "models/workload/workload.hpp"
#include "sim/asynchronous/protocol_job.hpp"
#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// Sums over the reported seeds.
struct ProtocolTotals {
  double iterations = 0;
  double slowest = 0;  // iterations of the slowest workers
  Seconds time{};
  Seconds computing{};
  std::vector<Seconds> waiting = std::vector<Seconds>(kCauses);  // by cause
  double sent = 0;
  double between_nodes = 0;
  ProtocolReport report;
  EngineUse engine{};

  void add(const ProtocolRun& run);
  void add(const ProtocolTotals& more);
  /// Counts what was simulated so many times.
  void scale(double times);
};

auto fields_of(Is<ProtocolTotals> auto& totals) {
  auto& [iterations, slowest, time, computing, waiting, sent, between_nodes, report, engine] =
      totals;
  return std::tie(iterations, slowest, time, computing, waiting, sent, between_nodes, report,
                  engine);
}

/// Where the time of a mean iteration of a worker goes, and why, in place of what he would need by
/// himself. Waits count as waiting for slower ranks only where workers differ and what is waited
/// for has not been sent; all others are exposed communication. The forecast has its iteration time
/// already.
void tell_parts(Forecast& forecast, const ProtocolTotals& totals, const Workload& workload,
                const ProtocolJob& job);

}  // namespace stepcast
