#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/network/collective_kind.hpp"
#include "traces/formats/rank_record.hpp"
#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// A text that does not change and that its copies share: 300,000 kernels of one name hold it once.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT(google-explicit-constructor): stands where a text stood
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string(text)) {}

  const std::string& text() const {
    static const std::string kEmpty;
    return text_ ? *text_ : kEmpty;
  }
  operator const std::string&() const {  // NOLINT(google-explicit-constructor)
    return text();
  }
  bool empty() const { return text().empty(); }
  /// The same copy: what differs may be the same text all the same.
  const void* identity() const { return text_.get(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// A piece of device work of one rank.
struct TimelineWork {
  JobWork work = JobWork::Compute;
  SharedText name;   ///< What it is compared with: "forward: gemm_f16", "all-reduce 25 MiB".
  std::string part;  ///< What it is added up with: "forward", "all-reduce".
  Seconds begin{};   ///< Since RankRecord::first_time_us.
  Seconds end{};
  std::uint8_t stream = 0;  ///< Of the device, from 1 on.
  Bytes size{};             ///< Of a transfer; 0: not known.
  std::uint32_t ranks = 0;  ///< That it joins; 0: not known.
  JobPurpose purpose = JobPurpose::Other;
  bool copies = false;    ///< Of memory: no computation.
  bool updates = false;   ///< Computation of the optimiser.
  bool scatters = false;  ///< A sum of which each rank keeps a part.
  std::uint32_t id = 0;   ///< Of a transfer: that of its RankCollective.
};

/// Makes it a transfer, with part and purpose of its kind of collective; nullopt: not known.
void make_transfer(std::optional<CollectiveKind> kind, TimelineWork& work);

/// A step of one rank on its device.
struct TimelineStep {
  std::string name;
  Seconds begin{};                  ///< Where the step before ended on the device.
  bool whole = true;                ///< That was recorded.
  std::vector<TimelineWork> works;  ///< By begin.
  /// The second waits for the first: in order of streams, or over a host that waited.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

/// What the device of one rank did, and the collectives that it shared with others.
struct RankTimeline {
  RankRecord record;  ///< With messages of pairs of ranks.
  std::vector<TimelineStep> steps;
  DeviceUse device{};
  bool timed = true;  ///< False: no times were recorded, begins are concluded.
};

/// Reads a trace of PyTorch's profiler. Throws InputError.
RankTimeline read_rank_timeline(const TraceStream& file, ImportReport& report);

/// The timelines of the ranks in a file, told by its number.
using TimelinesReader = std::function<std::vector<RankTimeline>(std::size_t file, ImportReport&)>;

/// Those of `count` files, in order, read by a thread a core, each with one trace in memory at a
/// time. Errors and tallies come in the order of the files, whoever was first.
std::vector<RankTimeline> read_at_once(std::size_t count, const TimelinesReader& read,
                                       ImportReport& report);

/// The same of files of one rank each.
using TimelineReader = std::function<RankTimeline(const TraceStream&, ImportReport&)>;
std::vector<RankTimeline> read_timelines(const std::vector<TraceStream>& files,
                                         const TimelineReader& read, ImportReport& report);

}  // namespace stepcast
