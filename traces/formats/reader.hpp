#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "models/workload/architecture.hpp"
#include "models/workload/workload.hpp"
#include "traces/formats/chrome_json/byte_source.hpp"
#include "traces/formats/rank_record.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Collectives of one kind and size that a trace holds.
struct CollectiveSummary {
  std::string kind;         ///< "all-reduce"; the name in the trace if it is none of ours.
  Bytes size{};             ///< Of one; 0: not recorded.
  std::uint64_t count = 0;  ///< In the whole trace.
  Seconds time{};           ///< Of all of them; 0: not recorded.
  std::vector<std::uint32_t> group{};  ///< The ranks that ran it; empty: all, or not recorded.
};

/// One recorded step. Times are sums over the work launched in it, which may run in the next.
struct StepSummary {
  std::string name;
  Seconds duration{};          ///< On the device, from the end of the step before.
  Seconds host{};              ///< On the host, by its marks.
  bool whole = true;           ///< False: where the step before ended was not recorded.
  bool stalled = false;        ///< See find_stalled().
  Seconds device{};            ///< Device time of computation.
  Seconds input_copies{};      ///< Device time of copies from the host.
  Seconds copies_alone{};      ///< Of these: while nothing computed.
  Seconds communication{};     ///< Device time of collectives.
  Seconds host_gaps{};         ///< Nothing computed, and no collective was waited for.
  Seconds collective_waits{};  ///< Nothing computed, for want of a collective's end.
  std::uint64_t work = 0;      ///< Kernels, copies and fills.
};

/// The samples of a step, as a trace tells or suggests.
struct BatchSummary {
  std::uint32_t value = 0;  ///< 0: it does not tell.
  std::string evidence = "the format does not tell it";
};

/// What a trace file holds, before anything is made of it.
struct TraceSummary {
  std::string format;
  BatchSummary batch;
  std::vector<std::pair<std::string, std::string>> facts;  ///< "device": "Tesla V100".
  std::vector<StepSummary> steps;
  std::optional<Seconds> device_step;  ///< Mean of the whole steps that did not
                                       ///< stall; none: no steps of a device.
  std::vector<std::string> doubts;     ///< Sentences: why the steps are not to be trusted.
  /// Device time of the whole trace by category, and the number of pieces.
  struct Category {
    std::string name;
    Seconds time{};
    std::uint64_t count = 0;
  };
  std::vector<Category> categories;
  std::vector<CollectiveSummary> collectives;
  Seconds overlapped_communication{};  ///< While computation ran as well.
  Seconds exposed_communication{};     ///< While none ran.
  std::optional<RankRecord> rank;  ///< For a comparison with other ranks; none: not one of many.
};

/// A gradient's tensor in a file without times.
struct SuppliedGradient {
  std::uint64_t record_id = 0;  ///< PyTorch's number of the call that accumulated it; 0: none.
  std::uint64_t elements = 0;   ///< 0: without a shape.
};

/// What a file without times adds to a profiler's trace of the same run.
struct TraceSupplement {
  std::string origin;
  std::vector<SuppliedGradient> gradients;  ///< In ready order, of all steps in the file.
  std::vector<Bytes> buckets;               ///< Of one step, in the order of their all-reduces.
};

/// What a trace does not say about itself, and how strictly to read it.
struct ImportOptions {
  std::optional<std::uint32_t> batch;  ///< Samples per step, where the trace does not tell.
  std::string model;                   ///< Default: from the file's place.
  std::string device;                  ///< Default: the format's name.
  std::string source;                  ///< Who measured it, for the provenance. Default: the file.
  std::optional<double>
      forward_share;  ///< Forward over backward time, where only the latter is known.
  std::optional<Architecture> architecture{};  ///< Whose gradients the workload gets.
  bool drop_gaps = false;  ///< Leave out the time in which the device waited for the host.
  bool strict = false;     ///< Anything skipped or doubtful is an InputError.
  std::vector<TraceSupplement> supplements{};  ///< From the files given beside the trace.
};

/// What a reader had to skip or could not quite believe, by kind. A trace with such places is still
/// imported, but never silently.
class ImportReport {
 public:
  /// The events of one kind.
  struct Tally {
    std::uint64_t count = 0;
    std::string first;  ///< Where it happened first: "line 12".
  };

  std::string format;  ///< Name of the reader that took the file.

  void skip(const std::string& kind, const std::string& where) { add(skipped_[kind], where); }
  void doubt(const std::string& kind, const std::string& where) { add(doubtful_[kind], where); }
  /// What the file does not say but its other content tells. Strict reading takes it.
  void infer(const std::string& kind, const std::string& where) { add(inferred_[kind], where); }

  const std::map<std::string, Tally>& skipped() const { return skipped_; }
  const std::map<std::string, Tally>& doubtful() const { return doubtful_; }
  const std::map<std::string, Tally>& inferred() const { return inferred_; }
  /// Adds all counts of another report; the first place of a kind stays the older one.
  void add(const ImportReport& other) {
    for (auto tallies :
         {&ImportReport::skipped_, &ImportReport::doubtful_, &ImportReport::inferred_})
      for (const auto& [kind, tally] : other.*tallies)
        add((this->*tallies)[kind], tally.first, tally.count);
  }
  bool clean() const { return skipped_.empty() && doubtful_.empty(); }

 private:
  static void add(Tally& tally, const std::string& where, std::uint64_t count = 1) {
    if (tally.count == 0)
      tally.first = where;
    tally.count += count;
  }

  std::map<std::string, Tally> skipped_;
  std::map<std::string, Tally> doubtful_;
  std::map<std::string, Tally> inferred_;
};

/// A trace file as readers take it: opened when a reader is ready for it, unpacked on the way.
struct TraceStream {
  std::string origin;  ///< The path, for messages.
  std::function<std::unique_ptr<ByteSource>()> open;
};

/// One trace format. The format of a file is found by its content, not by its name.
class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// As lists and error messages show it: "pipedream".
  virtual std::string name() const = 0;

  /// Whether the text that begins with `head` (some 4 KiB, or all of it) looks like this format.
  virtual bool sniff(std::string_view head) const = 0;

  /// The files of one trace as a workload: most formats have one, some one for each rank. Throws
  /// InputError that begins with the origin and names the line or field.
  virtual Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                        ImportReport& report) const = 0;

  /// What a file of this format adds to a trace given with it. None: it is a trace by itself.
  virtual std::optional<TraceSupplement> supplement(const TraceStream&, ImportReport&) const {
    return std::nullopt;
  }

  /// Whether read() makes use of options.supplements.
  virtual bool takes_supplements() const { return false; }

  /// Whether read() knows which parameters are matrices; else their names have to tell.
  virtual bool tells_shapes() const { return false; }

  /// What the files hold. Same errors. By default that of the workload made of them.
  virtual TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                               ImportReport& report) const;

  /// The steps as tasks and dependencies, for a replay. By default an InputError: most formats do
  /// not hold when what was launched.
  virtual std::vector<RecordedStep> record(const std::vector<TraceStream>& files,
                                           ImportReport& report) const;
};

/// What a workload file, or one made of a file of this format, holds.
TraceSummary summary_of(const Workload& workload, const std::string& format);

/// A file, or a text in memory that outlives the stream.
TraceStream file_stream(const std::filesystem::path& path);
TraceStream text_stream(std::string_view text, std::string origin);

/// All of a file. Throws InputError if it is empty, not UTF-8 or larger than 4 GiB.
std::string text_of(const TraceStream& file);

/// The one file of a format that has one. Throws InputError if there are more.
const TraceStream& only_file(const std::vector<TraceStream>& files, std::string_view format);

}  // namespace stepcast
