#include "traces/job/read_job.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/operations_csv.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kHead = 4096;

}  // namespace

Job read_job(std::span<const std::filesystem::path> paths, const std::filesystem::path& job_file,
             ImportReport& report) {
  const std::vector<std::filesystem::path> files = files_in(paths);
  const std::filesystem::path& first = files.front();
  const JobShape shape = job_file.empty() ? JobShape{} : read_job_shape(job_file, first);
  if (!is_operations_csv(head_of(first, kHead)))
    throw InputError(fmt::format(
        "{}: expected a table of operations (CSV with optype, start_ts, duration), found another "
        "content",
        first.string()));
  if (files.size() > 1)
    throw InputError(
        fmt::format("{}: expected one table of operations, which holds all ranks of "
                    "a job; found a second one",
                    files[1].string()));
  report.format = "operations-csv";
  Job job = read_operations_csv(text_of(file_stream(first)), first.string(), shape, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

}  // namespace stepcast
