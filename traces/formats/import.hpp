#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "traces/formats/reader.hpp"

namespace stepcast {

/// Reads a trace of any known format, also gzip-compressed, and fills `report` with what was
/// skipped. Throws InputError that lists the known formats if none matches, and with
/// `options.strict` also if anything was skipped or doubtful.
Workload import_trace(const std::filesystem::path& path, const ImportOptions& options,
                      ImportReport& report);

/// The same for a trace of several files: one for each rank of a job. A folder stands for the files
/// in it. Files without times (an execution trace, a bucket list) beside a profiler's trace add
/// what they know to it.
Workload import_trace(std::span<const std::filesystem::path> paths, const ImportOptions& options,
                      ImportReport& report);

/// What the files hold.
TraceSummary inspect_trace(std::span<const std::filesystem::path> paths,
                           const ImportOptions& options, ImportReport& report);

/// The recorded steps of a profiler trace, for a replay; at least one. Of several ranks those of
/// the first, with each collective as long as on the rank that came to it last.
std::vector<RecordedStep> record_trace(std::span<const std::filesystem::path> paths, bool strict,
                                       ImportReport& report);

/// Throws InputError that begins with `origin` and counts what was skipped or doubtful, if
/// anything.
void refuse_doubts(const ImportReport& report, const std::string& origin);

/// The paths, and for each folder the files in it in order of their names. Throws InputError for a
/// folder without files.
std::vector<std::filesystem::path> files_in(std::span<const std::filesystem::path> paths);

/// Names of the formats that import_trace() knows, in the order in which they are tried.
std::vector<std::string> trace_formats();

/// One line a kind: `2 skipped: line that is neither a node nor an edge (first at line 7)`.
std::vector<std::string> describe(const ImportReport& report);

}  // namespace stepcast
