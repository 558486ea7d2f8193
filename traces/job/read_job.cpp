#include "traces/job/read_job.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/csv_table.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/rank_timeline.hpp"

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

using Recognised = std::vector<RecognisedFile>;  // One for each file.
using Paths = std::vector<std::filesystem::path>;

/// What stands where profiles of ranks do.
[[noreturn]] void refuse_format(const std::filesystem::path& file, const RecognisedFile& format,
                                bool alone) {
  const std::string found = format.name().value_or("another content");
  if (!alone)
    throw InputError(
        fmt::format("{}: expected a trace of PyTorch's profiler, as one beside it is, "
                    "or files of one format alone, found {}",
                    file.string(), found));
  if (const std::string command = command_for(file, format); !command.empty())
    throw InputError(fmt::format("{}: {}", file.string(), command));
  throw InputError(
      fmt::format("{}: expected a table of operations (CSV with optype, start_ts, duration), "
                  "traces of PyTorch's, TensorFlow's or MXNet's profiler, exports of Nsight "
                  "Systems, Chakra graphs, a timeline of Horovod or BytePS's comm.json, found {}",
                  file.string(), found));
}

bool is_profile(const RecognisedFile& file) {
  return file.reader == &kineto_reader();
}

std::vector<TraceStream> streams_of(const Paths& files) {
  std::vector<TraceStream> streams;
  streams.reserve(files.size());
  for (const std::filesystem::path& file : files)
    streams.push_back(file_stream(file));
  return streams;
}

/// One trace of PyTorch's profiler for each rank. Execution traces beside them hold no times.
Job read_profiles(const Paths& files, const Recognised& found, const JobShape& shape,
                  ImportReport& report) {
  std::vector<TraceStream> streams;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (found[i].reader == &execution_trace_reader() && files.size() > 1) {
      report.skip("execution trace, which holds no times", files[i].string());
      continue;
    }
    if (!is_profile(found[i]))
      refuse_format(files[i], found[i], std::ranges::none_of(found, is_profile));
    streams.push_back(file_stream(files[i]));
  }
  if (streams.empty())
    throw InputError(fmt::format("{}: expected a trace with times, found execution traces alone",
                                 files.front().string()));
  report.format = kineto_reader().name();
  return read_profiled_job(streams, shape, report);
}

void require_all(const Paths& files, const Recognised& found, const char* format,
                 ImportReport& report) {
  report.format = format;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (found[i].job != found[0].job || found[i].reader != found[0].reader)
      throw InputError(
          fmt::format("{}: expected {}, as the first file is", files[i].string(), format));
}

/// Chakra graphs, or files of TensorFlow's or MXNet's profiler, one for each rank.
Job read_each(const Paths& files, const TimelineReader& read, const JobShape& shape,
              ImportReport& report) {
  return job_of_timelines(read_timelines(streams_of(files), read, report), shape, report);
}

/// Databases of Nsight Systems, of which each has one rank's work or several ranks'.
Job read_nsight_exports(const Paths& files, const JobShape& shape, ImportReport& report) {
  const auto read = [&](std::size_t file, ImportReport& own) {
    return read_nsight_export(files[file], own);
  };
  return job_of_timelines(read_at_once(files.size(), read, report), shape, report);
}

/// Messages and sums of BytePS's servers; what ranks recorded beside them says nothing more.
Job read_server_job(const Paths& files, const Recognised& found, const JobShape& shape,
                    ImportReport& report) {
  std::vector<TraceStream> streams;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (found[i].job == JobFormat::BytepsServers)
      streams.push_back(file_stream(files[i]));
    else
      report.skip("comm.json of a rank, whose pushes and pulls are messages", files[i].string());
  report.format = "byteps-servers";
  return read_byteps_server_job(streams, shape, report);
}

/// A timeline of Horovod and, beside it, chunks that NCCL recorded on its ranks.
Job read_timeline(const Paths& files, const Recognised& found, const JobShape& shape,
                  ImportReport& report) {
  std::vector<TraceStream> timelines;
  std::vector<TraceStream> chunks;
  for (std::size_t i = 0; i < files.size(); ++i)
    (found[i].job == JobFormat::RingChunks ? chunks : timelines).push_back(file_stream(files[i]));
  if (timelines.size() != 1)
    throw InputError(
        fmt::format("{}: expected one timeline of Horovod, which tells of all ranks; found {}",
                    timelines.empty() ? chunks.front().origin : timelines[1].origin,
                    timelines.empty() ? "none beside the chunks" : "a second one"));
  report.format = horovod_timeline_reader().name();
  return read_horovod_job(timelines.front(), shape, report, chunks);
}

bool is_of_byteps(const RecognisedFile& file) {
  return file.job == JobFormat::BytepsServers || file.job == JobFormat::BytepsWorker;
}

bool is_of_horovod(const RecognisedFile& file) {
  return file.job == JobFormat::RingChunks || file.reader == &horovod_timeline_reader();
}

Job read_files(const Paths& files, const JobShape& shape, ImportReport& report) {
  Recognised found;
  for (const std::filesystem::path& file : files)
    found.push_back(recognise(file));
  if (std::ranges::all_of(found, is_of_horovod))
    return read_timeline(files, found, shape, report);
  if (std::ranges::all_of(found, is_of_byteps) &&
      std::ranges::count(found, JobFormat::BytepsServers, &RecognisedFile::job) > 0)
    return read_server_job(files, found, shape, report);
  if (found[0].job == JobFormat::BytepsWorker) {
    require_all(files, found, "byteps", report);
    return read_byteps_job(streams_of(files), shape, report);
  }
  if (found[0].job == JobFormat::NsightExport) {
    require_all(files, found, "nsight-systems", report);
    return read_nsight_exports(files, shape, report);
  }
  if (found[0].job == JobFormat::FrameworkProfile) {
    require_all(files, found, "tensorflow-or-mxnet", report);
    return read_each(files, read_framework_profile, shape, report);
  }
  if (found[0].reader == &chakra_reader()) {
    require_all(files, found, "chakra", report);
    return read_each(files, read_chakra_timeline, shape, report);
  }
  return read_profiles(files, found, shape, report);
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
    Job job = read_files(files, shape, report);
    put_on_one_clock(job, job_file, report);
    return job;
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
