#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Reads a trace of any known format, also gzip-compressed, and fills `report` with what was
/// skipped. Throws InputError that lists the known formats if none matches, and with
/// `options.strict` also if anything was skipped or doubtful.
Workload import_trace(const std::filesystem::path& path, const ImportOptions& options,
                      ImportReport& report);

/// Names of the formats that import_trace() knows, in the order in which they are tried.
std::vector<std::string> trace_formats();

/// One line a kind: `2 skipped: line that is neither a node nor an edge (first at line 7)`.
std::vector<std::string> describe(const ImportReport& report);

}  // namespace stepcast
