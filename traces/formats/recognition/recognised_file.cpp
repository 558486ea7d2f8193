#include "traces/formats/recognition/recognised_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/formats/megatron/timers.hpp"
#include "traces/formats/recognition/other_profilers.hpp"
#include "traces/formats/recognition/top_level_keys.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/spans/ring_chunks.hpp"
#include "traces/job/spans/server_events.hpp"
#include "traces/job/streams/sqlite_file.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kHeadSize = 4096;
constexpr std::size_t kLongHead = std::size_t{1} << 18U;  // Lists may begin with names of threads.

const TraceReader* reader_by(std::string_view head) {
  const auto all = trace_readers();
  const auto found =
      std::ranges::find_if(all, [&](const TraceReader* reader) { return reader->sniff(head); });
  return found == all.end() ? nullptr : *found;
}

/// Reads the outer keys alone of a JSON object whose front tells nothing: the first ones may hold
/// more than any head.
const TraceReader* reader_by_keys(const std::filesystem::path& path) {
  const auto source = open_file(path);
  TopLevelKeys keys(*source);
  std::string outline = "{";
  while (outline.size() < kHeadSize) {
    const auto key = keys.next();
    if (!key)
      return nullptr;
    outline += fmt::format("\"{}\": 0, ", *key);
    if (const TraceReader* reader = reader_by(outline); reader != nullptr)
      return reader;
  }
  return nullptr;
}

/// The readers' formats of JSON are told by what stands in front, but for lists, which may begin
/// with many names of processes.
const TraceReader* find_reader(const std::filesystem::path& path, std::string_view head) {
  const char start = json_start(head);
  if (const TraceReader* reader = reader_by(start == '{' ? head.substr(0, kHeadSize) : head))
    return reader;
  return start == '{' ? reader_by_keys(path) : nullptr;
}

/// PyTorch's profiler names its schema and its devices, and may name anything else as others do.
bool is_profile_of_pytorch(std::string_view head) {
  return head.find("\"schemaVersion\"") != std::string_view::npos ||
         head.find("\"deviceProperties\"") != std::string_view::npos;
}

struct JobFormatRow {
  JobFormat format;
  std::string_view title;  // The name that messages show.
  bool (*begins)(std::string_view head);
  bool is_json = true;
};

// The formats of jobs, in the order in which they are tried.
constexpr std::array kJobFormats{
    JobFormatRow{JobFormat::OperationsTable, "a table of operations", is_operations_csv, false},
    JobFormatRow{JobFormat::NsightExport, "an export of Nsight Systems", is_sqlite, false},
    JobFormatRow{JobFormat::BytepsServers, "a trace of BytePS's servers", is_server_trace},
    JobFormatRow{JobFormat::BytepsWorker, "BytePS's comm.json", is_byteps_trace},
    JobFormatRow{JobFormat::RingChunks,
                 "a record of the chunks of NCCL's rings, as dPRO writes it beside Horovod's "
                 "timeline",
                 is_chunk_trace},
    JobFormatRow{JobFormat::FrameworkProfile, "a trace of TensorFlow's or MXNet's profiler",
                 is_framework_profile}};

std::optional<JobFormat> find_job_format(std::string_view head) {
  const bool may_be_json = json_start(head) != 0 && !is_profile_of_pytorch(head);
  for (const JobFormatRow& row : kJobFormats)
    if ((may_be_json || !row.is_json) && row.begins(head))
      return row.format;
  return std::nullopt;
}

std::string_view title_of(JobFormat format) {
  return std::ranges::find(kJobFormats, format, &JobFormatRow::format)->title;
}

/// The front of a file, which holds the whole first message if it is of protocol buffers.
std::string front_of(const std::filesystem::path& path) {
  constexpr std::size_t kMostMetadata = std::size_t{1} << 26U;
  constexpr std::size_t kBeginOfNode = 64;
  std::string head = head_of(path, kLongHead);
  if (head.empty())
    throw InputError(path.string() + ": is empty");
  if (const std::size_t end = end_of_chakra_metadata(head);
      end + kBeginOfNode > head.size() && head.size() == kLongHead && end < kMostMetadata)
    head = head_of(path, end + kBeginOfNode);
  return head;
}

void refuse_other_tools(const std::filesystem::path& path, std::string_view head) {
  for (const std::string_view advice : {archive_advice(head), profiler_advice(path, head)})
    if (!advice.empty())
      throw InputError(fmt::format("{}: {}", path.string(), advice));
}

}  // namespace

std::span<const TraceReader* const> trace_readers() {
  static const std::array<const TraceReader*, 8> all = {
      &stepcast_reader(), &pipedream_reader(), &execution_trace_reader(),  &kineto_reader(),
      &chakra_reader(),   &espresso_reader(),  &horovod_timeline_reader(), &ddp_logging_reader()};
  return all;
}

std::optional<std::string> RecognisedFile::name() const {
  if (job)
    return std::string(title_of(*job));
  return reader != nullptr ? std::optional(reader->name()) : std::nullopt;
}

RecognisedFile recognise(const std::filesystem::path& path) {
  const std::string head = front_of(path);
  if (const std::optional<JobFormat> job = find_job_format(head))
    return {.job = job};
  refuse_other_tools(path, head);
  return {.reader = find_reader(path, head)};
}

std::string command_for(const std::filesystem::path& path, const RecognisedFile& file) {
  const std::string head = head_of(path, kLongHead);
  if (file.job == JobFormat::NsightExport)
    return std::string(profiler_advice(path, head));
  if (file.job)
    return fmt::format("is {}: \"stepcast diagnose {}\" reads it", title_of(*file.job),
                       path.filename().string());
  if (is_nccl_tests_text(head) || head.find("\"out_of_place\"") != std::string::npos)
    return fmt::format("is the output of nccl-tests: \"stepcast calibrate {}\" reads it",
                       path.filename().string());
  if (has_megatron_timers(head) && json_start(head) == 0)
    return fmt::format(
        "is a log of Megatron-LM's timers: \"stepcast import {} --device NAME --block "
        "model=NAME,micro_batch=N,micro_batches=N,blocks=N\" reads it",
        path.filename().string());
  return {};
}

}  // namespace stepcast
