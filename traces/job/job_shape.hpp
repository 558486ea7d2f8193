#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stepcast {

struct Job;

/// Bytes of a job's transfers, which a trace may not hold; 0 and empty: not said.
struct JobSizes {
  std::vector<double> gradients;   ///< Of a rank of each stage, that copies add up in a step;
  std::vector<double> parameters;  ///< that come back to it;
  double message = 0;              ///< that it sends to the next stage for a micro-batch;
  double tied = 0;                 ///< of gradients that the first and the last stage share.
};

/// What the traces of a job do not say: how many ranks there are along which axis, and where.
struct JobShape {
  std::string name;
  std::uint32_t data = 0;  ///< 0, here and below: not said.
  std::uint32_t pipeline = 0;
  std::uint32_t tensor = 0;
  std::uint32_t context = 0;
  std::uint32_t chunks = 0;  ///< Model chunks of a rank ("vpp").
  std::uint32_t micro_batches = 0;
  std::uint32_t gpus = 0;
  std::vector<std::string> hosts;  ///< Of each rank; or empty.
  std::uint32_t gpus_per_host = 0;
  JobSizes sizes;
  std::string recorded_on;  ///< A cluster, whose network gives sizes that nobody knows.
};

/// Reads a job file. JSON: an object with any of "job", "dp", "pp", "tp", "cp", "vpp",
/// "micro_batches", "gpus", "hosts" (a name for each rank), "gpus_per_host", "gradient_bytes" and
/// "parameter_bytes" (of a rank of each stage), "message_bytes", "tied_bytes", "recorded_on" (a
/// cluster). CSV: a heading with "job" and any of these numbers, of bytes as of every stage, and a
/// row for each job, of which that counts whose name `trace` is or begins with
/// ("SE_steps_1_to_21.csv.gz" is of job SE). Throws InputError naming file and line or field.
JobShape read_job_shape(const std::filesystem::path& path, const std::filesystem::path& trace);

/// The host of a rank; empty: not said.
std::string host_of(const JobShape& shape, std::uint32_t rank);

/// Throws InputError, `<origin>: expected .., as the job file says, found ..`, for a job file that
/// contradicts itself, or the traces of a job on so many GPUs.
void check_job_shape(const JobShape& shape, std::uint32_t gpus, const std::string& origin);

/// Returns the numbers of the job's data-parallel ranks, recorded or not, in ascending order: as
/// many as the job file says (`shape`), or more if these cannot be all. If as many are recorded as
/// it says, none is missing between them. Uses the ranks and the number of stages of `job`.
std::vector<std::uint32_t> data_groups(const Job& job, const JobShape& shape);

}  // namespace stepcast
