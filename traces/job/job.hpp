#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "traces/job/clocks.hpp"

namespace stepcast {

/// What an operation of a job does; ideal times and edges depend on it.
enum class JobWork : std::uint8_t {
  Forward,
  Backward,
  Compute,  ///< Neither pass: an optimiser, a kernel of an unknown layer.
  Host,     ///< No work: the mark of where the step before ended.
  Transfer,
};

/// Operations that are compared with each other: "forward-compute".
struct JobKind {
  std::string name;
  JobWork work = JobWork::Compute;
  std::string part;         ///< What reports add up: several kinds may be of one.
  Bytes size{};             ///< Of a transfer; 0: not known.
  std::uint32_t ranks = 0;  ///< That a transfer joins; 0: not known.
};

inline constexpr std::uint32_t kNoMeeting = std::numeric_limits<std::uint32_t>::max();

/// One operation of one rank as recorded, on the rank's own clock until put_on_one_clock().
struct JobOperation {
  std::uint32_t rank = 0;         ///< Into Job::ranks.
  std::uint16_t kind = 0;         ///< Into Job::kinds.
  std::uint16_t chunk = 0;        ///< The part of the model, counted through the pipeline; of a
                                  ///< collective the rank's own.
  std::int32_t micro_batch = -1;  ///< -1: of none.
  std::uint32_t sequence = 0;     ///< The how many-th of its type in the step.
  std::uint32_t meeting = kNoMeeting;  ///< Into JobStep::meetings.
  std::uint8_t stream = 0;             ///< Operations of a rank on one run one after the other.
  bool alone = false;  ///< A transfer whose partners are not recorded: it may hold waiting.
  Seconds begin{};     ///< Since the step began.
  Seconds end{};
};

/// Operations that are one: a collective, or a send and its receive. None ends on any rank before
/// it began on all.
struct JobMeeting {
  std::vector<std::uint32_t> members;  ///< Operations of one rank each, in order of the ranks.
  bool message = false;                ///< A send (first) and its receive.
};

struct JobStep {
  std::string name;
  std::vector<JobOperation> operations;  ///< By rank, then by begin.
  std::vector<JobMeeting> meetings;
  /// The second waits for the first; both are of one rank, the first began earlier.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

/// A recorded rank. In a job with tensor or context parallelism it stands for a group of these.
struct JobRank {
  std::uint32_t number = 0;  ///< In the whole job.
  std::uint32_t data = 0;    ///< Its place along the axes.
  std::uint32_t stage = 0;
  std::string host;    ///< Ranks of one host share a clock; empty: not known.
  std::string origin;  ///< The file.
};

/// What the traces of a job's ranks tell: the same steps of all of them.
struct Job {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t gpus = 1;  ///< Of the whole job.
  std::vector<JobRank> ranks;
  std::vector<JobKind> kinds;
  std::vector<JobStep> steps;
  JobClocks clocks;  ///< What put_on_one_clock() found.
};

}  // namespace stepcast
