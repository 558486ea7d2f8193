#include "traces/job/shape_check.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
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

}  // namespace stepcast
