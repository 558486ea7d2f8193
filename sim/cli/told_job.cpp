#include "sim/cli/told_job.hpp"

#include "sim/cli/tell.hpp"
#include "sim/jobs/diagnose/pipelines/recorded_cluster.hpp"
#include "traces/formats/import.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {

Job told_job(const std::vector<std::string>& files, const std::string& job_file, bool strict) {
  const std::vector<std::filesystem::path> given(files.begin(), files.end());
  ImportReport report;
  Job job = read_job(given, job_file, report);
  if (strict)
    refuse_doubts(report, files.front());
  for (const std::string& line : describe(report))
    tell("{}: {}\n", files.front(), line);
  if (!job.shape.recorded_on.empty())
    static_cast<void>(recorded_cluster(job));  // Refused at once, whatever of it is asked for.
  return job;
}

}  // namespace stepcast
