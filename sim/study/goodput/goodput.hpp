#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/goodput/job_life.hpp"

namespace stepcast {

/// What a user asks about a job that runs for long.
struct GoodputRequest {
  Seconds mtbf{};                      ///< Of the job; 0: by the recorded fleet.
  std::optional<RecordedFleet> fleet;  ///< Replayed: every seed draws other servers.
  std::uint32_t nodes = 1;             ///< Of the job, in the fleet.
  std::uint32_t spares = 0;
  CheckpointCosts costs{};
  Seconds interval{};  ///< Of work between checkpoints; 0: the best.
  LossPolicy policy = LossPolicy::Wait;
  Seconds length{30 * 86400.0};  ///< Of a run; with a fleet, that of its record.
  std::uint32_t seeds = 200;
};

/// What came of it.
struct Goodput {
  Seconds interval{};
  double efficiency = 0;  ///< Mean over seeds, as the shares below.
  double p5 = 0;
  double p95 = 0;
  JobLife shares{};
  double faults = 0;  ///< That stopped the job, in a run.
  Seconds length{};
  Seconds mtbf{};  ///< Of the job: given, or as the record has it for its nodes.
  Seconds daly_interval{};
  double daly_efficiency = 0;  ///< At `interval`, exponential faults, always a node to go on with.
  std::optional<FaultOutlook> outlook;
};

/// The best interval is Daly's, or where that is worse over the same seeds a multiple of it from
/// 1/4 to 4. Throws InputError for neither mtbf nor fleet, more nodes than the fleet has, a
/// checkpoint of 0 with the best interval asked for, faults so dense that no run gets through (20
/// in the time of a restart and a checkpoint), or more of them than are gone through (2e7 in all).
Goodput find_goodput(const GoodputRequest& request);

/// What is legal but hopeless, in sentences: a checkpoint or restart longer than the MTBF, or a run
/// shorter than the interval.
std::vector<std::string> warnings_of(const GoodputRequest& request, const Goodput& goodput);

}  // namespace stepcast
