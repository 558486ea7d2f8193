#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/measured_collectives.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// What the user says of a log, for what it does not say itself. 0 and none: not given.
struct BenchmarkHints {
  std::optional<CollectiveKind> kind;
  std::uint32_t nodes = 0;
  std::uint32_t gpus_per_node = 0;
};

/// A connection between two nodes, as a point-to-point benchmark saw it.
struct LinkMeasurement {
  std::optional<BytesPerSecond> bandwidth;
  std::optional<Seconds> latency;  ///< One way.
};

/// One run of a network benchmark: either a curve or a link.
struct BenchmarkLog {
  std::string tool;                      ///< "nccl-tests", "osu", "ib_write_bw", "iperf3".
  std::string device;                    ///< "Tesla V100-SXM2-16GB"; empty if it does not say.
  std::optional<CollectiveCurve> curve;  ///< Sizes as nccl-tests counts them.
  LinkMeasurement link;
};

/// One format of benchmark output. `sniff` gets the whole text, as warnings and lists of ranks may
/// come before what tells; `read` throws InputError
/// that begins with `origin`.
struct BenchmarkFormat {
  const char* name;
  bool (*sniff)(std::string_view text);
  BenchmarkLog (*read)(std::string_view text, const std::string& origin,
                       const BenchmarkHints& hints, ImportReport& report);
};

/// Reads a log of any known format, found by its content; also gzip-compressed. What was skipped
/// or is doubtful is counted in `report`. Throws InputError.
BenchmarkLog read_benchmark_log(const std::filesystem::path& path, const BenchmarkHints& hints,
                                ImportReport& report);
BenchmarkLog parse_benchmark_log(std::string_view text, const std::string& origin,
                                 const BenchmarkHints& hints, ImportReport& report);

/// Collects the points of a curve; used by the formats.
///
/// Sizes may come in any order. Size 0, negative sizes and times, other sizes outside 1 B to 1e15 B
/// and times outside 1 ns to 1e6 s are counted as skipped; of a size that comes twice the shorter
/// time stays and a doubt is counted.
class CurveBuilder {
 public:
  explicit CurveBuilder(ImportReport& report) : report_(report) {}
  void add(Bytes size, Seconds time, const std::string& where);

  /// Throws InputError that begins with `origin` and says what was skipped, if there is no point.
  void refuse_none(const std::string& origin) const;

  /// Throws InputError that begins with `origin` if there is no point, or a rank count or layout
  /// that cannot be.
  CollectiveCurve finish(CollectiveKind kind, std::uint32_t ranks, std::uint32_t nodes,
                         const std::string& origin);

 private:
  ImportReport& report_;
  std::vector<CurvePoint> points_;
};

/// The kind that a name such as "all_reduce_perf", "Allreduce" or "nccl_alltoall.log" speaks of.
std::optional<CollectiveKind> find_kind_in(std::string_view name);

/// What a log says of itself.
struct LogFacts {
  std::optional<CollectiveKind> kind;    ///< By the program's name or title, or the columns alone.
  std::vector<CollectiveKind> possible;  ///< As far as columns tell; empty: they do not.
  std::uint32_t ranks = 0;               ///< 0: it does not say.
  std::uint32_t nodes = 0;               ///< 0: it does not say.
};

/// The kind: what the log says, else what the user says, else what the file's name says. Another
/// word of the user than the log's is a doubt. Throws InputError, beginning with `origin`, if
/// nobody says, or the user says what the columns exclude.
CollectiveKind kind_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                           const std::string& origin, ImportReport& report);

struct LogLayout {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
};

/// Ranks and nodes: what the log says, else what the user says; 0 if nobody does. Another word of
/// the user than the log's is a doubt. Throws InputError if the log says ranks but not nodes, and
/// the user speaks of another number of ranks.
LogLayout layout_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                        const std::string& origin, ImportReport& report);

/// " (2 skipped: row with a negative number (first at line 9))" for the end of a message that
/// nothing is left; empty if nothing was skipped.
std::string reasons_in(const ImportReport& report);

}  // namespace stepcast
