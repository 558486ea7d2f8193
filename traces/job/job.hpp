#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "models/graph/step_graph.hpp"
#include "traces/job/clocks.hpp"
#include "traces/job/job_shape.hpp"

namespace stepcast {

/// What an operation of a job does; ideal times and edges depend on it.
enum class JobWork : std::uint8_t {
  Forward,
  Backward,
  Compute,  ///< Neither pass: an optimiser, a kernel of an unknown layer.
  Host,     ///< No work: the mark of where the step before ended.
  Transfer,
};

/// What a transfer is for, as far as its reader knows.
enum class JobPurpose : std::uint8_t {
  Other,
  Message,     ///< Between two ranks.
  Sum,         ///< Of gradients, or, over all ranks, of a number.
  Tied,        ///< Of gradients that the first and the last stage share.
  Parameters,  ///< Come back from those who updated them.
};

/// Operations that are compared with each other: "forward-compute".
struct JobKind {
  std::string name;
  JobWork work = JobWork::Compute;
  std::string part;         ///< What reports add up: several kinds may be of one.
  Bytes size{};             ///< Of a transfer; 0: not known.
  std::uint32_t ranks = 0;  ///< That a transfer joins; 0: not known.
  JobPurpose purpose = JobPurpose::Other;
  bool copies = false;    ///< Of memory: no computation.
  bool updates = false;   ///< Computation of the optimiser.
  bool scatters = false;  ///< A sum of which each rank keeps a part.
};

/// Returns whether it is device work of one rank, copies of memory included.
constexpr bool computes(JobWork work) {
  return work != JobWork::Transfer && work != JobWork::Host;
}
/// Whether it is computation: such work, but no copy.
inline bool computes(const JobKind& kind) {
  return computes(kind.work) && !kind.copies;
}

inline constexpr std::uint32_t kNoMeeting = kNone;

/// The stream of operations that run beside each other: negotiations.
inline constexpr std::uint8_t kBeside = 255;

/// One operation of one rank as recorded, on the rank's own clock until put_on_one_clock().
struct JobOperation {
  std::uint32_t rank = 0;         ///< Into Job::ranks.
  std::uint16_t kind = 0;         ///< Into Job::kinds.
  std::uint16_t chunk = 0;        ///< The part of the model, counted through the pipeline; of a
                                  ///< collective the rank's own.
  std::int32_t micro_batch = -1;  ///< -1: of none.
  std::uint32_t sequence = 0;     ///< The how many-th of its type in the step.
  std::uint32_t meeting = kNoMeeting;  ///< Into JobStep::meetings.
  std::uint8_t stream =
      0;                  ///< Operations of a rank on one run one after the other, but on kBeside.
  bool alone = false;     ///< A transfer whose partners are not recorded: it may hold waiting.
  bool restored = false;  ///< Not recorded: its times are estimates, and tell nothing of clocks.
  Seconds begin{};        ///< Since the step began.
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
  /// Which step of the training it was; where that is not recorded, of the job. Ascending, if
  /// counted from the first one's.
  std::uint64_t number = 0;
  /// When the zero of its operations' times was, since the first step's. Profilers count through.
  Seconds begin{};
  std::vector<JobOperation> operations;  ///< By rank, then by begin.
  std::vector<JobMeeting> meetings;
  /// The second waits for the first, which began earlier. Of two ranks: a message is between them.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<Arrivals> arrivals;
};

/// What a profiler tells of a rank's device beside its work.
struct DeviceUse {
  std::optional<double> queued;  ///< Work that is launched and has not begun, on average.
  double queue_empty = 0;        ///< Share of the time in which there is none such.
  Bytes allocated{};             ///< The most that tensors take; 0, also below: not recorded.
  Bytes reserved{};              ///< The most that the framework holds for them.
};

/// A recorded rank. In a job with tensor or context parallelism it stands for a group of these.
struct JobRank {
  std::uint32_t number = 0;  ///< In the whole job; of a server behind all ranks.
  std::uint32_t data = 0;    ///< Its place along the axes.
  std::uint32_t stage = 0;
  std::string host;     ///< Ranks of one host share a clock; empty: not known.
  std::string origin;   ///< The file.
  std::string name;     ///< Of what is no rank: "server 1".
  bool serves = false;  ///< Adds up for the others, and trains nothing.
  Seconds shifted{};    ///< By which its reader put its clock right already.
  DeviceUse device{};
};

/// As tables and lists call a rank: "3", "server 1".
inline std::string label_of(const JobRank& rank) {
  return rank.name.empty() ? std::to_string(rank.number) : rank.name;
}

/// What the traces of a job's ranks tell: the same steps of all of them.
struct Job {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t gpus = 1;    ///< Of the whole job.
  std::uint32_t places = 0;  ///< Ranks that whole traces have, each maybe for a group; 0: gpus.
  bool has_more = false;     ///< Some meet ranks that gpus and places do not count.
  std::vector<std::uint32_t> data_ranks;  ///< Of a table: JobRank::data of the whole job.
  JobShape shape;                         ///< What the job file says, and the traces of passes.
  std::vector<JobRank> ranks;
  std::vector<JobKind> kinds;
  std::vector<JobStep> steps;
  JobClocks clocks;  ///< What put_on_one_clock() found.
  Seconds apart{};   ///< Of profiles, on clocks since 1970: between one's end and another's begin.
  std::string unlike;  ///< A rank whose kernels are mostly not those of another; may be empty.
  std::size_t restored = 0;           ///< Operations that were lost and are there as estimated.
  std::size_t lost = 0;               ///< Of which nothing tells when they ran.
  std::vector<std::string> doubtful;  ///< Kinds that may be computation or communication.
  bool one_clock = false;             ///< Its reader put it on one, as far as clocks differ.
  bool timed = true;                  ///< False: of some ranks durations alone were recorded.
  bool profiled = false;              ///< Ranks are GPUs and operations kernels: a pass has many.
};

}  // namespace stepcast
