#include "traces/formats/reader.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/file_limits.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

}  // namespace

TraceSummary summary_of(const Workload& workload, const std::string& format) {
  TraceSummary summary{.format = format};
  summary.batch = {workload.batch, "of the workload made of the file"};
  summary.facts = {{"model", workload.model},
                   {"device", workload.device},
                   {"batch", fmt::format("{}", workload.batch)},
                   {"layers", fmt::format("{}", workload.layers.size())},
                   {"parameters", fmt::format("{}", parameter_count(workload))}};
  summary.categories = {{"forward", forward_time(workload), workload.layers.size()},
                        {"backward", backward_time(workload), workload.layers.size()}};
  if (workload.update > Seconds{})
    summary.categories.push_back({"update", workload.update, 1});
  return summary;
}

TraceSummary TraceReader::inspect(const std::vector<TraceStream>& files,
                                  const ImportOptions& options, ImportReport& report) const {
  return summary_of(read(files, options, report), name());
}

std::vector<RecordedStep> TraceReader::record(const std::vector<TraceStream>& files,
                                              ImportReport&) const {
  throw InputError(
      fmt::format("{}: a trace in {} format cannot be replayed: it does not hold what was "
                  "launched when; expected a profiler trace",
                  files.front().origin, name()));
}

TraceStream file_stream(const std::filesystem::path& path) {
  return {.origin = path.string(), .open = [path] { return open_file(path); }};
}

TraceStream text_stream(std::string_view text, std::string origin) {
  return {.origin = std::move(origin), .open = [text] { return open_text(text); }};
}

std::string text_of(const TraceStream& file) {
  const auto source = file.open();
  const FileLimits limits = file_limits();
  std::string text;
  std::size_t used = 0;
  std::size_t count = 1;
  while (count > 0) {
    text.resize(used + kChunk);
    count = source->read(std::span(text).subspan(used));
    used += count;
    check_whole_size(file.origin, static_cast<double>(used), limits);
  }
  text.resize(used);
  if (text.empty())
    throw InputError(file.origin + ": is empty");
  return text;
}

const TraceStream& only_file(const std::vector<TraceStream>& files, std::string_view format) {
  if (files.size() != 1)
    throw InputError(fmt::format("{}: a trace in {} format is one file, found {}",
                                 files.back().origin, format, files.size()));
  return files.front();
}

}  // namespace stepcast
