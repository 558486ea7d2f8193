#include "traces/job/data_groups.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace stepcast {
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
