#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/note.hpp"
#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/chance/seeds.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// What a recorded job is forecast on.
struct OtherSize {
  Cluster cluster;
  std::string schedule;  ///< Empty: the order of a recorded pipeline.
  Fidelity fidelity = Fidelity::Flow;
  bool ideal = false;  ///< Without the host's delays, and all ranks alike.
  std::uint32_t workers = 1;
};

/// A recorded job at another number of ranks.
struct JobAtRanks {
  std::string job;
  std::uint32_t recorded_gpus = 0;
  Seconds recorded_step{};
  double step_error = 0;  ///< Of the replay as recorded, see Diagnosis.
  /// On that replay, and, of a pipeline, on forecasts: if its own size misses it by more than 5 %.
  std::string doubt;  ///< Empty: none.
  OtherSize size;
  Seconds step{};                  ///< The mean over seeds where ranks are as uneven as recorded.
  Seconds even_step{};             ///< With all ranks alike.
  SeedSpread spread{};             ///< Of `step`.
  std::vector<std::string> basis;  ///< What the workload was made of, in sentences.
  std::string layout;              ///< Of a pipeline: "tp=1,pp=4,dp=2".
  Notes notes{};
};

/// The job as a workload (workload_of) on the cluster, its ranks slowed down by whole recorded
/// steps, drawn with replacement (slow_downs_of): ranks beyond those recorded begin again. Of a
/// pipeline on more than 128 ranks fewer seeds are simulated, so that they take as long, but eight.
///
/// Throws InputError as workload_of(), slow_downs_of() and diagnose(): above all for a job whose
/// own replay misses it by more than 10 %.
JobAtRanks job_at_ranks(const Job& job, const OtherSize& size);

}  // namespace stepcast
