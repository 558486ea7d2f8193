#include "traces/job/job_shape.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/csv_table.hpp"
#include "traces/job/job.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

struct Size {
  const char* key;
  std::uint32_t JobShape::*field;
};

constexpr std::array<Size, 8> kSizes = {{{"dp", &JobShape::data},
                                         {"pp", &JobShape::pipeline},
                                         {"tp", &JobShape::tensor},
                                         {"cp", &JobShape::context},
                                         {"vpp", &JobShape::chunks},
                                         {"micro_batches", &JobShape::micro_batches},
                                         {"gpus", &JobShape::gpus},
                                         {"gpus_per_host", &JobShape::gpus_per_host}}};

constexpr std::uint32_t kMostGpus = 1'000'000;
constexpr const char* kBytesRange = "a number of bytes above 0 and at most 1e15";

bool is_size(double bytes) {
  return bytes > 0 && bytes <= 1e15;
}

struct StageSize {
  const char* key;
  std::vector<double> JobSizes::*field;
};
constexpr std::array<StageSize, 2> kStageSizes = {
    {{"gradient_bytes", &JobSizes::gradients}, {"parameter_bytes", &JobSizes::parameters}}};

struct JobSize {
  const char* key;
  double JobSizes::*field;
};
constexpr std::array<JobSize, 2> kJobSizes = {
    {{"message_bytes", &JobSizes::message}, {"tied_bytes", &JobSizes::tied}}};

/// A number is that of all stages.
std::vector<double> read_stage_sizes(ObjectReader& reader, const char* key) {
  if (!reader.has(key))
    return {};
  const nlohmann::json& value = reader.raw(key);
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  std::vector<double> sizes;
  for (const nlohmann::json& each : list) {
    if (!each.is_number() || !is_size(each.get<double>()))
      reader.fail(key, fmt::format("expected {}, or a list of one for each stage, found {}",
                                   kBytesRange, shown(each)));
    sizes.push_back(each.get<double>());
  }
  if (sizes.empty())
    reader.fail(key, "expected a number of bytes for each stage, found none");
  return sizes;
}

void read_sizes(ObjectReader& reader, JobSizes& sizes) {
  for (const StageSize& size : kStageSizes)
    sizes.*size.field = read_stage_sizes(reader, size.key);
  for (const JobSize& size : kJobSizes) {
    sizes.*size.field = reader.number_or(size.key, 0, 0);
    if (reader.has(size.key) && !is_size(sizes.*size.field))
      reader.fail(size.key, fmt::format("expected {}, found {}", kBytesRange, sizes.*size.field));
  }
}

JobShape from_json(const std::string& text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader reader(json, origin);
  JobShape shape{.name = reader.text_or("job", "")};
  for (const Size& size : kSizes)
    shape.*size.field = reader.count_up_to_or(size.key, 1, kMostGpus, 0);
  shape.hosts = reader.texts_or_none("hosts");
  if (reader.has("hosts") && shape.hosts.empty())
    reader.fail("hosts", "expected the host of each rank, found none");
  read_sizes(reader, shape.sizes);
  shape.recorded_on = reader.text_or("recorded_on", "");
  reader.finish();
  return shape;
}

/// Whether the file's name is that of the job, or goes on after it with what is no letter or digit.
bool is_of_job(const std::string& file, std::string_view job) {
  return !job.empty() && file.starts_with(job) &&
         (file.size() == job.size() ||
          std::isalnum(static_cast<unsigned char>(file[job.size()])) == 0);
}

JobShape from_row(const CsvTable& table) {
  JobShape shape{.name = std::string(table.cell(table.column("job")))};
  for (const Size& size : kSizes)
    if (table.has(size.key))
      shape.*size.field = static_cast<std::uint32_t>(table.whole(table.column(size.key), 1));
  const auto bytes = [&](const char* key) {
    const double value = table.number(table.column(key));
    if (!is_size(value))
      table.fail(table.column(key), kBytesRange);
    return value;
  };
  for (const StageSize& size : kStageSizes)
    if (table.has(size.key))
      shape.sizes.*size.field = {bytes(size.key)};
  for (const JobSize& size : kJobSizes)
    if (table.has(size.key))
      shape.sizes.*size.field = bytes(size.key);
  if (table.has("recorded_on"))
    shape.recorded_on = std::string(table.cell(table.column("recorded_on")));
  return shape;
}

/// "ranks_in_file" says what the trace says, too.
void refuse_unknown_columns(const CsvTable& table, const std::string& origin) {
  std::vector<std::string> known = {"job", "ranks_in_file", "recorded_on"};
  const auto add = [&](const auto& sizes) {
    for (const auto& size : sizes)
      known.emplace_back(size.key);
  };
  add(kSizes);
  add(kStageSizes);
  add(kJobSizes);
  for (const std::string& column : table.columns())
    if (std::ranges::find(known, column) == known.end())
      throw InputError(
          fmt::format("{}: {}: expected columns {}", origin, column, fmt::join(known, ", ")));
}

JobShape from_csv(const std::string& text, const std::string& origin, const std::string& file) {
  CsvTable table(text, origin);
  refuse_unknown_columns(table, origin);
  const std::size_t name = table.column("job");
  JobShape best;
  std::vector<std::string> jobs;
  while (table.next()) {
    jobs.emplace_back(table.cell(name));
    if (is_of_job(file, table.cell(name)) && table.cell(name) == best.name)
      table.fail(name, "one row for each job");
    if (is_of_job(file, table.cell(name)) && table.cell(name).size() > best.name.size())
      best = from_row(table);
  }
  if (best.name.empty())
    throw InputError(fmt::format("{}: expected a job with which the name of {} begins, found {}",
                                 origin, file, fmt::join(jobs, ", ")));
  return best;
}

}  // namespace

std::string host_of(const JobShape& shape, std::uint32_t rank) {
  if (rank < shape.hosts.size())
    return shape.hosts[rank];
  return shape.gpus_per_host > 0 ? fmt::format("host {}", rank / shape.gpus_per_host) : "";
}

JobShape read_job_shape(const std::filesystem::path& path, const std::filesystem::path& trace) {
  const std::string text = read_text_file(path);
  if (text.starts_with("\x1f\x8b"))
    throw InputError(path.string() +
                     ": expected a job file as plain JSON or CSV, found gzip-compressed data");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[')
             ? from_json(text, path.string())
             : from_csv(text, path.string(), trace.filename().string());
}

namespace {

void check_hosts(const JobShape& shape, const std::string& origin) {
  std::map<std::string, std::uint32_t> on;
  for (const std::string& host : shape.hosts)
    if (++on[host] > shape.gpus_per_host && shape.gpus_per_host > 0)
      throw InputError(
          fmt::format("{}: expected at most gpus_per_host = {} ranks on a host, as the job file "
                      "says, found more on {}, as its hosts say",
                      origin, shape.gpus_per_host, host));
}

}  // namespace

void check_job_shape(const JobShape& shape, std::uint32_t gpus, const std::string& origin) {
  const auto fail = [&](const std::string& said) {
    throw InputError(
        fmt::format("{}: expected {}, as the job file says, found {} ranks", origin, said, gpus));
  };
  if (shape.gpus > 0 && shape.gpus != gpus)
    fail(fmt::format("gpus = {}", shape.gpus));
  if (!shape.hosts.empty() && shape.hosts.size() != gpus)
    fail(fmt::format("a rank for each of {} hosts", shape.hosts.size()));
  if (shape.gpus_per_host > 0 && shape.gpus_per_host < gpus && gpus % shape.gpus_per_host != 0)
    fail(fmt::format("hosts of gpus_per_host = {}", shape.gpus_per_host));
  check_hosts(shape, origin);
  const auto ways = [](std::uint32_t said) { return std::uint64_t{std::max(said, 1U)}; };
  // Each is a million at most, so that the first three do not overflow; none is above the GPUs.
  const bool fits =
      ways(shape.pipeline) <= gpus && ways(shape.tensor) <= gpus && ways(shape.context) <= gpus;
  const std::uint64_t inner = ways(shape.pipeline) * ways(shape.tensor) * ways(shape.context);
  const bool inner_said = shape.tensor > 0 && shape.context > 0;  // else a rank may be a group
  const bool data_fits = !fits || shape.data == 0 ||
                         (inner_said ? gpus / inner == shape.data : gpus / inner % shape.data == 0);
  if (!fits || gpus % inner != 0 || !data_fits)
    fail(fmt::format("dp x pp x tp x cp = {} x {} x {} x {}",
                     shape.data > 0 ? std::to_string(shape.data) : "any", ways(shape.pipeline),
                     ways(shape.tensor), ways(shape.context)));
}

namespace {

/// Returns how many data-parallel ranks the job file tells, some of which may not be recorded; 0 if
/// it does not tell, as GPUs say nothing where ranks may stand for groups of them.
std::uint32_t groups_said(const Job& job, const JobShape& shape) {
  if (shape.data > 0)
    return shape.data;
  const std::uint64_t of_group = std::uint64_t{job.stages} * shape.tensor * shape.context;
  return of_group > 0 && shape.gpus % of_group == 0
             ? static_cast<std::uint32_t>(shape.gpus / of_group)
             : 0;
}

/// Whether the first rank is 1: otherwise rank 0 is not recorded. Without a job file, which says 0,
/// ranks are numbered one after the other.
bool groups_count_from_one(const Job& job, std::uint32_t said, std::uint32_t least,
                           std::uint32_t most) {
  if (least == 0 || most < 2)
    return false;
  if (said > 0)
    return said == most;
  const std::uint32_t first = job.ranks.front().number;
  return least == 1 && first <= 1 && job.ranks.back().number - first + 1 == job.ranks.size();
}

}  // namespace

std::vector<std::uint32_t> data_groups(const Job& job, const JobShape& shape) {
  constexpr std::uint64_t kMostOfJob = 1'000'000;
  std::set<std::uint32_t> there;
  for (const JobRank& rank : job.ranks)
    there.insert(rank.data);
  const std::uint32_t said = groups_said(job, shape);
  if (said == there.size())
    return {there.begin(), there.end()};
  const std::uint32_t first =
      groups_count_from_one(job, said, *there.begin(), *there.rbegin()) ? 1 : 0;
  const std::uint32_t found = *there.rbegin() + 1 - first;
  const bool can_be = std::uint64_t{said} * job.stages <= kMostOfJob;
  std::vector<std::uint32_t> groups(can_be ? std::max(said, found) : found);
  std::iota(groups.begin(), groups.end(), first);
  return groups;
}

}  // namespace stepcast
