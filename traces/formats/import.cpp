#include "traces/formats/import.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/workload/architecture_gradients.hpp"
#include "traces/formats/gzip.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast {

namespace {

const TraceReader& reader_for(const std::filesystem::path& path) {
  const RecognisedFile file = recognise(path);
  if (file.reader != nullptr)
    return *file.reader;
  if (const std::string command = command_for(path, file); !command.empty())
    throw InputError(fmt::format("{}: {}", path.string(), command));
  throw InputError(fmt::format("{}: expected a trace of a known format ({}), found another content",
                               path.string(), fmt::join(trace_formats(), ", ")));
}

/// The files of one trace and the reader of their format, which must be the same.
struct Found {
  const TraceReader* reader = nullptr;
  std::vector<TraceStream> files;
};

Found find_reader(std::span<const std::filesystem::path> paths, ImportReport& report) {
  Found found;
  for (const auto& path : files_in(paths)) {
    const TraceReader& reader = reader_for(path);
    if (found.reader != nullptr && found.reader != &reader)
      throw InputError(fmt::format("{}: expected a trace in {} format as the other files, found {}",
                                   path.string(), found.reader->name(), reader.name()));
    found.reader = &reader;
    found.files.push_back(file_stream(path));
    if (const std::uint64_t behind = bytes_behind_gzip(path); behind > 0)
      report.skip("file with bytes behind its gzip data",
                  fmt::format("{}: {} bytes", path.string(), behind));
  }
  report.format = found.reader->name();
  return found;
}

/// The files of a trace apart from those that only add to it. If all do, they stay.
std::vector<std::filesystem::path> without_supplements(std::span<const std::filesystem::path> paths,
                                                       ImportOptions& options,
                                                       ImportReport& report) {
  std::vector<std::filesystem::path> all = files_in(paths);
  if (all.size() < 2)
    return all;
  std::vector<std::filesystem::path> traces;
  for (const auto& path : all) {
    auto supplement = reader_for(path).supplement(file_stream(path), report);
    if (supplement)
      options.supplements.push_back(std::move(*supplement));
    else
      traces.push_back(path);
  }
  return traces.empty() ? all : traces;
}

void refuse_useless_supplements(const TraceReader& reader, const ImportOptions& options) {
  if (!options.supplements.empty() && !reader.takes_supplements())
    throw InputError(
        fmt::format("{}: adds nothing to a trace in {} format; expected a kineto trace with it",
                    options.supplements.front().origin, reader.name()));
}

/// Gradients are of the workload's precision.
Workload with_architecture(Workload workload, const Architecture& architecture) {
  const auto* const found = std::ranges::find(kDataTypeNames, workload.precision,
                                              [](const auto& entry) { return entry.second; });
  const DataType type = found == kDataTypeNames.end() ? DataType::Float32 : found->first;
  auto [supplied, how] = with_gradients_of(architecture, std::move(workload), type);
  supplied.provenance.notes.push_back(std::move(how));
  return std::move(supplied);
}

void describe_tallies(const std::map<std::string, ImportReport::Tally>& tallies,
                      std::string_view verdict, std::vector<std::string>& lines) {
  for (const auto& [kind, tally] : tallies) {
    lines.push_back(
        fmt::format("{} {}: {} (first at {})", tally.count, verdict, kind, tally.first));
  }
}

/// But not the hidden ones, which desktops and editors leave there. BytePS writes a folder for each
/// rank.
void add_files_of(const std::filesystem::path& folder,
                  std::vector<std::filesystem::path>& files) try {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto of_byteps = entry.path() / "comm.json";
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
    else if (entry.is_directory() && std::filesystem::is_regular_file(of_byteps))
      files.push_back(of_byteps);
  }
} catch (const std::filesystem::filesystem_error& error) {
  throw InputError(fmt::format("{}: cannot be read: {}", folder.string(), error.code().message()));
}

}  // namespace

Workload import_trace(const std::filesystem::path& path, const ImportOptions& options,
                      ImportReport& report) {
  return import_trace(std::span(&path, 1), options, report);
}

Workload import_trace(std::span<const std::filesystem::path> paths, const ImportOptions& options,
                      ImportReport& report) {
  ImportOptions supplied = options;
  const Found found = find_reader(without_supplements(paths, supplied, report), report);
  refuse_useless_supplements(*found.reader, supplied);
  Workload workload = found.reader->read(found.files, supplied, report);
  if (options.architecture)
    workload = with_architecture(std::move(workload), *options.architecture);
  if (options.strict)
    refuse_doubts(report, found.files.front().origin);
  return found.reader->tells_shapes() ? workload : with_matrices_by_name(std::move(workload));
}

TraceSummary inspect_trace(std::span<const std::filesystem::path> paths,
                           const ImportOptions& options, ImportReport& report) {
  const Found found = find_reader(paths, report);
  TraceSummary summary = found.reader->inspect(found.files, options, report);
  if (options.strict)
    refuse_doubts(report, found.files.front().origin);
  return summary;
}

std::vector<RecordedStep> record_trace(std::span<const std::filesystem::path> paths, bool strict,
                                       ImportReport& report) {
  const Found found = find_reader(paths, report);
  std::vector<RecordedStep> steps = found.reader->record(found.files, report);
  if (strict)
    refuse_doubts(report, found.files.front().origin);
  return steps;
}

void refuse_doubts(const ImportReport& report, const std::string& origin) {
  if (!report.clean())
    throw InputError(
        fmt::format("{}: refused as strict: {}", origin, fmt::join(describe(report), "; ")));
}

std::vector<std::filesystem::path> files_in(std::span<const std::filesystem::path> paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    add_files_of(path, files);
    if (files.size() == before)
      throw InputError(path.string() + ": expected a folder with trace files, found none");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  if (files.empty())
    throw InputError("expected a trace file");
  return files;
}

std::vector<std::string> trace_formats() {
  std::vector<std::string> names;
  for (const TraceReader* reader : trace_readers())
    names.push_back(reader->name());
  return names;
}

std::vector<std::string> describe(const ImportReport& report) {
  std::vector<std::string> lines;
  describe_tallies(report.skipped(), "skipped", lines);
  describe_tallies(report.doubtful(), "doubtful", lines);
  describe_tallies(report.inferred(), "inferred", lines);
  return lines;
}

}  // namespace stepcast
