#include "traces/readers/import.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/gzip.hpp"
#include "traces/readers/pipedream/pipedream_reader.hpp"
#include "traces/readers/stepcast/stepcast_reader.hpp"

namespace stepcast {

namespace {

constexpr std::size_t kHeadSize = 4096;

// A new format is a folder beside these, and one line here.
const std::array<const TraceReader*, 2>& readers() {
  static const StepcastReader stepcast;
  static const PipedreamReader pipedream;
  static const std::array<const TraceReader*, 2> all = {&stepcast, &pipedream};
  return all;
}

const TraceReader& reader_for(std::string_view text, const std::string& origin) {
  for (const TraceReader* reader : readers()) {
    if (reader->sniff(text.substr(0, kHeadSize)))
      return *reader;
  }
  throw InputError(fmt::format("{}: expected a trace of a known format ({}), found another content",
                               origin, fmt::join(trace_formats(), ", ")));
}

void refuse_doubts(const ImportReport& report, const std::string& origin) {
  const std::vector<std::string> lines = describe(report);
  if (lines.empty())
    return;
  throw InputError(fmt::format("{}: refused as strict: {}", origin, fmt::join(lines, "; ")));
}

void describe_tallies(const std::map<std::string, ImportReport::Tally>& tallies,
                      std::string_view verdict, std::vector<std::string>& lines) {
  for (const auto& [kind, tally] : tallies) {
    lines.push_back(
        fmt::format("{} {}: {} (first at {})", tally.count, verdict, kind, tally.first));
  }
}

}  // namespace

Workload import_trace(const std::filesystem::path& path, const ImportOptions& options,
                      ImportReport& report) {
  const std::string origin = path.string();
  const std::string text = gunzip_if_compressed(read_text_file(path), origin);
  const TraceReader& reader = reader_for(text, origin);
  report.format = reader.name();
  Workload workload = reader.read(text, origin, options, report);
  if (options.strict)
    refuse_doubts(report, origin);
  return workload;
}

std::vector<std::string> trace_formats() {
  std::vector<std::string> names;
  for (const TraceReader* reader : readers())
    names.push_back(reader->name());
  return names;
}

std::vector<std::string> describe(const ImportReport& report) {
  std::vector<std::string> lines;
  describe_tallies(report.skipped(), "skipped", lines);
  describe_tallies(report.doubtful(), "doubtful", lines);
  return lines;
}

}  // namespace stepcast
