#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/collective_kind.hpp"
#include "sim/jobs/diagnose/missing_ranks.hpp"
#include "traces/job/job.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// What holds up a job most.
enum class VerdictKind : std::uint8_t {
  None,
  Worker,
  Stage,
  Data,
  Host,
  Network,
  Collectives,  ///< Ranks send different amounts.
  Checkpoints,  ///< Steps that come again and again are longer.
};

const char* name_of(VerdictKind kind);

struct JobVerdict {
  VerdictKind kind = VerdictKind::None;
  std::string subject;  ///< "rank 6", "stage 3"; empty: nobody in particular.
  std::string text;     ///< A sentence, with its number.
};

/// From where on something counts. The defaults are those of the published analyses where they say
/// one; 1.05, 5 % and 25 % are assumed.
struct VerdictThresholds {
  double slowdown = 1.05;       ///< Below: nobody holds up the others.
  double explained = 0.5;       ///< Share of the waste that a cause must explain.
  double correlation = 0.9;     ///< Of forward and backward time of a micro-batch.
  double delays = 0.05;         ///< Share of the step that goes with the host's delays.
  double exposed = 0.25;        ///< Share of the ideal step that goes with transfers.
  double slow_transfers = 1.5;  ///< Over the median of the kind.
};

/// Slow-down of a step in which only this part is as recorded and all else ideal.
struct PartSlowdown {
  std::string name;
  double slowdown = 1;
};

/// A step as recorded and as replayed with its delays.
struct DiagnosedStep {
  std::string name;
  Seconds recorded{};
  Seconds simulated{};

  /// |simulated - recorded| / recorded.
  double error() const {
    return (simulated > recorded ? simulated - recorded : recorded - simulated) / recorded;
  }
};

/// Of the critical path over all ranks.
struct KindOnPath {
  std::string name;
  double share = 0;
};

/// Work of one part on one rank, with nothing else of the critical path in between.
struct PathStretch {
  std::uint32_t rank = 0;  ///< Into Job::ranks.
  std::string part;        ///< Of the kinds of work.
  Seconds begin{};         ///< In the step replayed without delays.
  Seconds duration{};
};

/// How much of the waste goes if some are ideal, and the slow-down with only these as recorded.
struct WasteExplained {
  std::vector<std::uint32_t> ranks;  ///< Into Job::ranks.
  std::optional<double> share;       ///< None: there is no waste, or nobody else.
  double alone = 1;
};

/// A rank in a usual step, on average. Times are as recorded; computing, exposed, copies_alone,
/// waiting, idle_for_host and other add up to the step.
struct RankUse {
  std::uint32_t rank = 0;  ///< Into Job::ranks.
  double slowdown = 1;     ///< With only this rank as recorded.
  Seconds computing{};
  Seconds communicating{};  ///< From the last arrival to the end.
  Seconds exposed{};        ///< Of it, while nothing computes.
  Seconds copies{};
  Seconds copies_alone{};   ///< Of these, while nothing computes or communicates.
  Seconds waiting{};        ///< In meetings for those that arrive later, with nothing else to do.
  Seconds idle_for_host{};  ///< Nothing runs, and all that the next work waits for has ended.
  Seconds other{};
  Seconds holding{};        ///< In collectives of its stage all others waited for it alone so long.
  Seconds on_path{};        ///< Of the critical path over all ranks.
  double replay_error = 0;  ///< |replayed - recorded| end, over the recorded step.
  std::optional<double> short_kernels;  ///< Of less than 10 us; none: no kernels are recorded.

  /// Share of the communication beside which something computes; none: there is no communication.
  std::optional<double> overlap() const {
    return communicating > Seconds{} ? std::optional(1 - exposed / communicating) : std::nullopt;
  }
};

/// Collectives or messages of one kind among the same ranks: means of their members in a step.
struct MeetingCost {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< Into Job::ranks; of a message the sender first.
  bool message = false;
  double count = 0;
  Seconds transfer{};  ///< From the last arrival to the end.
  Seconds exposed{};   ///< Of it, while the rank computes nothing.
  Seconds waiting{};   ///< For the last arrival, while the rank computes nothing.
  Bytes size{};        ///< The largest among the members; 0: not known.
  std::optional<CollectiveKind> collective;
  std::uint32_t joins = 0;                          ///< Ranks, recorded or not.
  std::optional<BytesPerSecond> bus_bandwidth;      ///< As nccl-tests have it.
  std::optional<BytesPerSecond> cluster_bandwidth;  ///< See add_cluster_bandwidths().

  Seconds idle() const { return exposed + waiting; }
};

/// Recorded collectives of gradients fused to buckets that close at a size.
struct LargerBuckets {
  Bytes size{};
  Seconds now{};  ///< Of the same steps, as they are.
  Seconds step{};
};

/// The step if one thing were better; none: it cannot be. All but the first without delays.
struct Gains {
  Seconds no_host_gaps{};                 ///< With waits for what is not recorded alone; of the
                                          ///< usual steps.
  std::optional<Seconds> even_ranks;      ///< Work of Diagnosis::worst_ranks as others'.
  std::optional<Seconds> even_stages;     ///< What stages compute takes their mean.
  std::optional<Seconds> faster_network;  ///< Transfers take half their time.
  std::optional<Seconds> free_network;    ///< They take none.
  std::optional<LargerBuckets> larger_buckets;
};

/// What a rank spends with a kind of computation in a step, on average.
struct RankKernels {
  double count = 0;
  Seconds time{};
};

/// A kind of computation on two ranks that do the same.
struct UnevenKind {
  std::string name;
  RankKernels slowest;
  RankKernels fastest;

  Seconds longer_by() const { return slowest.time - fastest.time; }
};

/// Of the ranks of a stage the one that computes longest against the one that computes shortest.
struct UnevenKernels {
  std::uint32_t slowest = 0;  ///< Into Job::ranks.
  std::uint32_t fastest = 0;
  std::vector<UnevenKind> kinds;  ///< In which it loses most, a few.
};

/// How the steps spread around their mean.
struct StepSpread {
  Seconds p50{};
  Seconds p95{};
  Seconds most{};
};

/// What holds up a job, from the traces of its ranks.
///
/// `slowdown` is S = T / T_ideal: T is the step replayed without the delays that no dependency
/// explains, T_ideal the same with all work ideal (JobReplay). Method and measures are those of
/// ByteDance's what-if analysis (OSDI'25, "Understanding Stragglers in Large Model Training").
struct Diagnosis {
  std::string job;
  std::uint32_t gpus = 0;
  std::uint32_t stages = 1;
  std::uint32_t groups = 1;  ///< Data-parallel ones of the job, recorded or not.
  std::vector<JobRank> ranks;
  MissingRanks missing;
  std::size_t steps = 0;
  RecordedPace pace;         ///< Of the steps as recorded: usual and stalled ones.
  bool timed = true;         ///< False: nothing below is recorded, the steps are concluded.
  Seconds recorded_step{};   ///< Of the usual steps, as the next one. All others: of all steps.
  Seconds simulated_step{};  ///< Replayed with the delays.
  Seconds undelayed_step{};  ///< T. Nor do those recorded wait for those that are not.
  Seconds ideal_step{};      ///< T_ideal.
  StepSpread recorded_spread;
  StepSpread simulated_spread;
  StepSpread undelayed_spread;
  StepSpread ideal_spread;
  double step_error = 0;            ///< Mean |replayed - recorded| over recorded.
  std::vector<std::string> doubts;  ///< Of all that follows, see doubts_of().
  std::size_t restored = 0;         ///< Operations that were lost and are there as estimated.
  std::size_t lost = 0;             ///< That were lost and are not there.
  double slowdown = 1;
  WasteExplained worst_ranks;
  WasteExplained last_stage;
  std::vector<PartSlowdown> by_rank;
  std::vector<PartSlowdown> by_stage;  ///< Of those that are recorded.
  std::vector<PartSlowdown> by_data;
  std::vector<PartSlowdown> by_node;  ///< Empty where hosts are not known.
  std::vector<PartSlowdown> by_kind;
  std::vector<PartSlowdown> by_step;
  std::vector<DiagnosedStep> replayed;  ///< By step.
  std::vector<RankUse> uses;            ///< By rank.
  std::optional<UnevenKernels> uneven_kernels;
  std::vector<MeetingCost> meetings;  ///< The costliest first.
  std::string cluster;                ///< With which these are compared; empty: none.
  Gains gains;
  std::vector<KindOnPath> path_by_kind;  ///< Largest first.
  double changes_of_rank = 0;            ///< Of the critical path, a step.
  std::string path_step;                 ///< The step whose time is nearest to the mean.
  std::vector<PathStretch> stretches;    ///< Of its critical path the longest.
  std::size_t taken_apart = 0;           ///< Meetings that contradicted others, in all steps.
  JobVerdict verdict;
  JobClocks clocks;
};

/// Of a time of the ranks; servers are none.
Seconds mean_of_ranks(const Diagnosis& diagnosis, Seconds RankUse::*time);

/// Throws InputError if a step takes no time or nothing is computed, or if the replay misses the
/// steps by more than 10 %.
Diagnosis diagnose(const Job& job, const VerdictThresholds& thresholds = {});

}  // namespace stepcast
