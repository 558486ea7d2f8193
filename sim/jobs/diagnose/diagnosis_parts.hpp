#pragma once
// What a diagnosis is made of, part by part: each has a source of its own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What each rank does in a step, without its slow-down. Each instant counts once, with the first
/// of these that is so: the rank computes, transfers, copies, waits in a meeting for others, or is
/// ready and its host has launched nothing; all else is `other`.
std::vector<RankUse> rank_uses(const JobReplay& replay);

/// The rank that computes longest against that of its stage which computes shortest, and the kinds
/// of computation in which it loses most. None: no stage's ranks differ by more than 2 %.
std::optional<UnevenKernels> uneven_kernels(const JobReplay& replay,
                                            const std::vector<RankUse>& uses);

/// What collectives and messages cost, those of one kind among the same ranks together; by the time
/// in which their ranks do nothing else, largest first, and of many the first 64.
std::vector<MeetingCost> meeting_costs(const JobReplay& replay);

/// Fills in MeetingCost::cluster_bandwidth: what collectives and messages of that size among these
/// ranks have on an idle network, by the cluster's measured curves where they cover it, else by its
/// links. Rank r is on node r / gpus_per_node, and the cluster gets as many nodes as the job fills.
/// Of those whose ranks are not all recorded only what joins the whole job is known.
void add_cluster_bandwidths(Cluster cluster, Diagnosis& diagnosis);

/// How long a step takes if one thing about it were better, of which all but the host's gaps are
/// replayed without delays: with them, receives would begin no earlier than recorded. `worst` are
/// the ranks that hold up others most.
Gains gains_of(const JobReplay& replay, const std::vector<std::uint32_t>& worst);

/// The recorded all-reduces fused in order until a bucket closes at twice, four times .. the size
/// of the largest, up to all in one: of these the fastest. Replayed as optimise replays the recipe
/// bucket-size, with delays, on some usual steps; sizes that were not recorded take what a line
/// through those that were says. None: all are of one size, so that their start-up is not known,
/// none can be fused, or ranks are missing, for which they may have waited.
std::optional<LargerBuckets> larger_buckets(const Job& job);

/// What the critical path over all ranks consists of, a step on average.
struct PathOverRanks {
  std::vector<double> by_rank;  ///< Seconds.
  std::vector<double> by_kind;
  double changes = 0;                  ///< From one rank to another.
  std::size_t step = 0;                ///< The one whose time is nearest to the mean.
  std::vector<PathStretch> stretches;  ///< Of that step: work of one part on one rank at a time,
                                       ///< the longest first, at most 24.
};

/// Followed back from the end of each step, as replayed without delays: from an operation that met
/// others to the one that arrived last, from any other to what ended last of what it waited for.
PathOverRanks path_over_ranks(const JobReplay& replay);

/// Why all that a diagnosis says is doubtful, for its first line. `error` is the replay's, see
/// doubt_of_replay(), of whose InputError this throws. Doubts are also more than a hundredth of the
/// operations lost, restored or not, ranks without passes that others have, clocks that contradict
/// each other in most steps or that nothing joins, ranks that never wait for the others, and
/// profiles that were recorded a minute apart.
std::vector<std::string> doubts_of(const Job& job, double error);

}  // namespace stepcast
