#include "traces/job/read_job.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/job/csv_table.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/operations_csv.hpp"
#include "traces/job/profiled_job.hpp"
#include "traces/job/read_at_once.hpp"
#include "traces/job/spans/byteps_job.hpp"
#include "traces/job/spans/horovod_job.hpp"
#include "traces/job/spans/ring_chunks.hpp"
#include "traces/job/spans/server_events.hpp"
#include "traces/job/spans/server_job.hpp"
#include "traces/job/streams/chakra_job.hpp"
#include "traces/job/streams/framework_profile.hpp"
#include "traces/job/streams/nsight_export.hpp"
#include "traces/job/streams/sqlite_file.hpp"
#include "traces/readers/import.hpp"
#include "traces/readers/kineto/kineto_reader.hpp"
#include "traces/readers/recognition/formats.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kHead = 1 << 16;  // Lists may begin with names of threads.

/// Throws InputError naming the columns that are missing if the text begins with the heading of a
/// table, which is none of operations.
void refuse_other_table(std::string_view head, const std::string& origin) {
  while (head.starts_with('#') && head.find('\n') != std::string_view::npos)
    head.remove_prefix(head.find('\n') + 1);
  const std::string_view heading = head.substr(0, head.find('\n'));
  const auto is_of_names = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-. ,\r").find(c) != std::string_view::npos;
  };
  if (heading.find(',') == std::string_view::npos || !std::ranges::all_of(heading, is_of_names))
    return;
  const CsvTable table(heading, origin);
  std::vector<std::string> missing;
  for (const char* name :
       {"dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id"})
    if (!table.has(name))
      missing.emplace_back(name);
  throw InputError(fmt::format("{}: expected a table of operations; the columns {} are missing",
                               origin, fmt::join(missing, ", ")));
}

std::string in_words(const std::optional<std::string>& format, const std::filesystem::path& file) {
  if (format)
    return *format;
  return is_operations_csv(head_of(file, kHead)) ? "a table of operations" : "another content";
}

/// What stands where profiles of ranks do.
[[noreturn]] void refuse_format(const std::filesystem::path& file,
                                const std::optional<std::string>& format, bool alone) {
  if (!alone)
    throw InputError(
        fmt::format("{}: expected a trace of PyTorch's profiler, as one beside it is, "
                    "or files of one format alone, found {}",
                    file.string(), in_words(format, file)));
  throw InputError(
      fmt::format("{}: expected a table of operations (CSV with optype, start_ts, duration), "
                  "traces of PyTorch's, TensorFlow's or MXNet's profiler, exports of Nsight "
                  "Systems, Chakra graphs, a timeline of Horovod or BytePS's comm.json, found {}",
                  file.string(), in_words(format, file)));
}

bool is_profile(const std::filesystem::path& file) {
  return find_format(file) == KinetoReader().name();
}

/// One trace of PyTorch's profiler for each rank. Execution traces beside them hold no times.
Job read_profiles(const std::vector<std::filesystem::path>& files, const JobShape& shape,
                  ImportReport& report) {
  std::vector<TraceStream> streams;
  for (const std::filesystem::path& file : files) {
    const std::optional<std::string> format = find_format(file);
    if (format == execution_trace_reader().name() && files.size() > 1) {
      report.skip("execution trace, which holds no times", file.string());
      continue;
    }
    if (format != KinetoReader().name())
      refuse_format(file, format, std::ranges::none_of(files, is_profile));
    streams.push_back(file_stream(file));
  }
  if (streams.empty())
    throw InputError(fmt::format("{}: expected a trace with times, found execution traces alone",
                                 files.front().string()));
  report.format = KinetoReader().name();
  return read_profiled_job(streams, shape, report);
}

/// Files of one format, of which each has one rank's work, or (Nsight Systems) several ranks'.
std::optional<Job> read_streams(const std::vector<std::filesystem::path>& files,
                                std::string_view head, const JobShape& shape,
                                ImportReport& report) {
  const auto require_all = [&](const char* format, auto is_such) {
    report.format = format;
    for (const std::filesystem::path& file : files)
      if (!is_such(head_of(file, kHead)))
        throw InputError(
            fmt::format("{}: expected {}, as the first file is", file.string(), format));
  };
  const auto read_each = [&](const TimelineReader& read) {
    std::vector<TraceStream> streams;
    streams.reserve(files.size());
    for (const std::filesystem::path& file : files)
      streams.push_back(file_stream(file));
    return job_of_timelines(read_timelines(streams, read, report), shape, report);
  };
  if (is_sqlite(head)) {
    require_all("nsight-systems", is_sqlite);
    const auto read = [&](std::size_t file, ImportReport& own) {
      return read_nsight_export(files[file], own);
    };
    return job_of_timelines(read_at_once(files.size(), read, report), shape, report);
  }
  if (is_framework_profile(head)) {
    require_all("tensorflow-or-mxnet", is_framework_profile);
    return read_each(read_framework_profile);
  }
  const auto is_chakra = [](std::string_view text) { return chakra_reader().sniff(text); };
  if (!is_chakra(head))
    return std::nullopt;
  require_all("chakra", is_chakra);
  return read_each(read_chakra_timeline);
}

/// Messages and sums of BytePS's servers; what ranks recorded beside them says nothing more. None:
/// no file holds any.
std::optional<Job> read_server_job(const std::vector<std::filesystem::path>& files,
                                   const JobShape& shape, ImportReport& report) {
  std::vector<TraceStream> streams;
  std::vector<std::string> others;
  for (const std::filesystem::path& file : files) {
    const std::string head = head_of(file, kHead);
    if (is_server_trace(head))
      streams.push_back(file_stream(file));
    else if (is_byteps_trace(head))
      others.push_back(file.string());
    else
      return std::nullopt;
  }
  if (streams.empty())
    return std::nullopt;
  for (const std::string& file : others)
    report.skip("comm.json of a rank, whose pushes and pulls are messages", file);
  report.format = "byteps-servers";
  return read_byteps_server_job(streams, shape, report);
}

/// A timeline of Horovod and, beside it, chunks that NCCL recorded on its ranks. None: none of it.
std::optional<Job> read_timeline(const std::vector<std::filesystem::path>& files,
                                 const JobShape& shape, ImportReport& report) {
  std::vector<TraceStream> timelines;
  std::vector<TraceStream> chunks;
  for (const std::filesystem::path& file : files) {
    const std::string head = head_of(file, kHead);
    if (is_chunk_trace(head))
      chunks.push_back(file_stream(file));
    else if (horovod_timeline_reader().sniff(head))
      timelines.push_back(file_stream(file));
    else
      return std::nullopt;
  }
  if (timelines.size() != 1)
    throw InputError(
        fmt::format("{}: expected one timeline of Horovod, which tells of all ranks; found {}",
                    timelines.empty() ? chunks.front().origin : timelines[1].origin,
                    timelines.empty() ? "none beside the chunks" : "a second one"));
  report.format = horovod_timeline_reader().name();
  return read_horovod_job(timelines.front(), shape, report, chunks);
}

/// What communication libraries recorded; none: the files are of none.
std::optional<Job> read_communication(const std::vector<std::filesystem::path>& files,
                                      std::string_view head, const JobShape& shape,
                                      ImportReport& report) {
  if (std::optional<Job> job = read_server_job(files, shape, report))
    return job;
  if (is_byteps_trace(head)) {
    report.format = "byteps";
    std::vector<TraceStream> streams;
    for (const std::filesystem::path& file : files) {
      if (!is_byteps_trace(head_of(file, kHead)))
        throw InputError(file.string() + ": expected BytePS's comm.json, as the first file is");
      streams.push_back(file_stream(file));
    }
    return read_byteps_job(streams, shape, report);
  }
  return read_timeline(files, shape, report);
}

/// And counts the clocks that jump. Throws InputError for hosts of the job file whose ranks have
/// clocks of their own.
void put_on_one_clock(Job& job, const std::filesystem::path& job_file, ImportReport& report) {
  const std::size_t steps = job.steps.size();
  job.clocks = put_on_one_clock(job);
  std::string before;
  std::size_t jumps = 0;
  for (const JumpedClock& jump : job.clocks.jumps)
    if (std::exchange(before, jump.step) != jump.step) {
      report.skip("step in which a clock jumps",
                  fmt::format("step {}, {} by {} against {}", jump.step, jump.host,
                              format_seconds(jump.by), jump.against));
      ++jumps;
    }
  for (; jumps < job.clocks.left_out; ++jumps)
    report.skip("step behind one in which a clock jumps", before);
  if (job.clocks.by_hosts)
    throw InputError(fmt::format(
        "{}: hosts: expected ranks of a host to share its clock, found that clocks of hosts "
        "contradict each other in {} of {} steps and those of ranks do not",
        job_file.string(), job.clocks.contradicted, steps));
  for (std::size_t i = 0; i < job.clocks.contradicted; ++i)
    report.doubt("step in which clocks contradict each other: of ranks of one job?", job.name);
}

}  // namespace

Job read_job(std::span<const std::filesystem::path> paths, const std::filesystem::path& job_file,
             ImportReport& report) {
  const std::vector<std::filesystem::path> files = files_in(paths);
  const std::filesystem::path& first = files.front();
  const JobShape shape = job_file.empty() ? JobShape{} : read_job_shape(job_file, first);
  const std::string head = head_of(first, kHead);
  if (!is_operations_csv(head)) {
    refuse_other_table(head, first.string());
    std::optional<Job> job = read_communication(files, head, shape, report);
    if (!job)
      job = read_streams(files, head, shape, report);
    if (!job)
      job = read_profiles(files, shape, report);
    put_on_one_clock(*job, job_file, report);
    return std::move(*job);
  }
  if (files.size() > 1)
    throw InputError(fmt::format(
        "{}: expected nothing beside {}, a table of operations, which holds all ranks of a job; "
        "found {}",
        files[1].string(), first.string(),
        is_operations_csv(head_of(files[1], kHead)) ? "a second one" : "another file"));
  report.format = "operations-csv";
  Job job = read_operations_csv(text_of(file_stream(first)), first.string(), shape, report);
  put_on_one_clock(job, job_file, report);
  return job;
}

}  // namespace stepcast
