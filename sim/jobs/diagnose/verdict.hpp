#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Judges a diagnosis that is complete but for this. In this order: a worker (the worst ranks
/// explain the waste, or all that compute longer than the others, such as those of a node), data
/// (passes of a micro-batch are slow forward and backward, on changing ranks, and that costs more
/// than uneven stages), a stage, single pauses of the host (slow forward passes whose backward
/// passes are not), transfers, launches, the network as such. None that compares ranks where
/// nothing joins their clocks.
JobVerdict verdict_of(const Diagnosis& diagnosis, const JobReplay& replay,
                      const VerdictThresholds& thresholds);

/// Long delays of single ranks, now of one and now of another (garbage collection stops a process),
/// where most of what delays cost goes with them. Long are those of more than 2 % of the usual step
/// and ten times the usual delay, in steps in which at most a quarter of the ranks has one; three
/// at least, of more than one rank.
std::optional<JobVerdict> pauses_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                         const VerdictThresholds& thresholds);

/// Steps that come again and again and are longer than the others (checkpoints, evaluations), where
/// these explain what the job takes too long. Steps are long from 1.2 times the median on,
/// with passes and transfers as long as usual: what is left are delays and work that is neither, as
/// long as on the median rank. By their numbers all that are recorded a period apart must be long,
/// three at least and less than half, and no others.
std::optional<JobVerdict> checkpoints_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds);

/// Collectives in which ranks send different amounts (all-to-alls of experts or embeddings), where
/// the step would be shorter by more than the threshold of delays if all sent the mean. One takes
/// as long as its largest amount; of the mean it would take that share of the time. What they cost
/// is no waste of the even job, whose transfers are as long.
std::optional<JobVerdict> collectives_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds);

}  // namespace stepcast
