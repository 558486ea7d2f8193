#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/quantile_interval.hpp"
#include "sim/study/goodput/fault_sources.hpp"
#include "sim/study/goodput/job_life.hpp"

namespace stepcast {

/// What a user asks about a job that runs for long.
struct GoodputRequest {
  Seconds mtbf{};                       ///< Of the job; 0: by the fleet or the sources.
  std::optional<RecordedFleet> fleet;   ///< Replayed: every seed draws other servers.
  bool fitted = false;                  ///< In its place renewals with frailty, fitted to it.
  std::optional<FaultSources> sources;  ///< What fails, where neither of these is given.
  std::uint32_t nodes = 1;              ///< Of the job, in the fleet.
  std::uint32_t spares = 0;
  CheckpointCosts costs{};
  Seconds interval{};  ///< Of work between checkpoints; 0: the best.
  LossPolicy policy = LossPolicy::Restart;
  Seconds length{30 * 86400.0};  ///< Of a run; with a replayed fleet, that of its record.
  std::uint32_t seeds = 200;     ///< 0: until P5, P50 and P95 are known to 1 %.
  JobSpeed speed{};              ///< With fewer nodes or slow links; none: in proportion.
  std::uint32_t bins = 0;        ///< Parts of the length that are reported by themselves.
};

using ShareQuantile = QuantileEstimate<double>;

/// The efficiency of a part of the length, over seeds.
struct GoodputBin {
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
};

/// What came of it.
struct Goodput {
  Seconds interval{};
  double efficiency = 0;  ///< Mean over seeds, as the shares below.
  ShareQuantile p5{};
  ShareQuantile p50{};
  ShareQuantile p95{};
  JobLife shares{};
  std::uint32_t seeds = 0;
  double faults = 0;  ///< That stopped the job, in a run.
  Seconds length{};
  Seconds mtbf{};  ///< Of the job: given, or as the record or sources have it for its nodes.
  Seconds daly_interval{};
  double daly_efficiency = 0;  ///< At `interval`, exponential faults, always a node to go on with.
  std::optional<FaultOutlook> outlook;
  std::vector<GoodputBin> bins;
};

/// The best interval is Daly's, or where that is worse over the same seeds a multiple of it from
/// 1/4 to 4; it is at least the time until a checkpoint is stored. Throws InputError for neither
/// mtbf nor fleet nor sources, more nodes than the fleet has, slow links without a speed, a
/// checkpoint of 0 with the best interval asked for, an interval in which a checkpoint is not
/// stored, faults so dense that no run gets through (20 in the time of a restart and a checkpoint),
/// or more of them than are gone through (2e7 in all).
Goodput find_goodput(const GoodputRequest& request);

/// What is legal but hopeless, in sentences: a checkpoint or restart longer than the MTBF, or a run
/// shorter than the interval.
std::vector<std::string> warnings_of(const GoodputRequest& request, const Goodput& goodput);

/// Goodput with so many spares; `paid` is the efficiency over all nodes that are held, spares too.
struct SparesTried {
  std::uint32_t spares = 0;
  double efficiency = 0;
  double paid = 0;
};

/// At the best interval without spares: 0, 1, 2, 4, ... spares up to as many as the job has nodes
/// (or the fleet has left), until two in a row no longer pay and the job no longer lacks nodes: it
/// gets nowhere as long as more nodes are down than stand by. Common random numbers. The best is
/// the one with the largest `paid`.
std::vector<SparesTried> try_spares(GoodputRequest request);

/// What would end most of a job's waiting for nodes.
struct SparesRemedy {
  std::uint32_t spares = 0;
  bool restarts = false;  ///< With LossPolicy::Restart in place of Wait, which leaves spares alone.
  double efficiency = 0;  ///< As find_goodput() has it with these.
};

/// Whether a job waits for nodes so long, for a tenth of the time or more, that spares may be what
/// it lacks.
bool lacks_nodes(const GoodputRequest& request, const Goodput& goodput);

/// Spares for such a job: of those numbers above its own that try_spares() tries the one that pays
/// best; its own, too, where its policy left them alone. None where no number raises the efficiency
/// by a percentage point and pays.
std::optional<SparesRemedy> find_spares_remedy(const GoodputRequest& request,
                                               const Goodput& goodput);

}  // namespace stepcast
