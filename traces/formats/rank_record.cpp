#include "traces/formats/rank_record.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace stepcast {
namespace {

std::string job_of(const RankRecord& record) {
  return record.ranks ? fmt::format("a job of {} ranks", *record.ranks)
                      : "a trace that does not tell the number of ranks";
}

bool are_one_recording(const RankRecord& a, const RankRecord& b) {
  return !a.collectives.empty() && a.first_time_us == b.first_time_us &&
         std::ranges::equal(a.collectives, b.collectives, {}, &RankCollective::begin,
                            &RankCollective::begin);
}

/// Of two records that may be of one job only if they are of different ranks.
std::string why_the_same_rank(const RankRecord& record, const RankRecord& earlier) {
  if (record.rank && record.rank == earlier.rank)
    return fmt::format("{}: expected another rank than in {}, found rank {} in both", record.origin,
                       earlier.origin, *record.rank);
  const bool told_apart = record.rank && earlier.rank;
  if (!told_apart && are_one_recording(record, earlier))
    return fmt::format("{}: expected the trace of another rank than {}, found the same recording",
                       record.origin, earlier.origin);
  return {};
}

struct Numbers {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
};

/// PyTorch's numbers of the collectives of all ranks, which all of them count alike.
std::optional<Numbers> numbers_of(const RankRecord& record) {
  std::optional<Numbers> numbers;
  for (const RankCollective& each : record.collectives) {
    if (!each.sequence || !each.group.empty())
      continue;
    if (!numbers)
      numbers.emplace();
    numbers->least = std::min(numbers->least, *each.sequence);
    numbers->most = std::max(numbers->most, *each.sequence);
  }
  return numbers;
}

std::string why_no_common_number(const RankRecord& record, const RankRecord& first) {
  const auto own = numbers_of(record);
  const auto others = numbers_of(first);
  if (!own || !others || (own->least <= others->most && others->least <= own->most))
    return {};
  return fmt::format(
      "{}: expected collectives of all ranks numbered {} to {} (Seq), as in {}, found {} to {}: "
      "ranks of two jobs, or other steps",
      record.origin, others->least, others->most, first.origin, own->least, own->most);
}

std::string why_another_job(const RankRecord& record, const RankRecord& first) {
  if (record.ranks != first.ranks)
    return fmt::format("{}: expected {} as in {}, found {}", record.origin, job_of(first),
                       first.origin, job_of(record));
  if (record.steps != first.steps)
    return fmt::format("{}: expected {} steps as in {}, found {}", record.origin, first.steps,
                       first.origin, record.steps);
  if (!record.nccl_version.empty() && !first.nccl_version.empty() &&
      record.nccl_version != first.nccl_version)
    return fmt::format("{}: expected NCCL {} as in {}, found {}: it joins ranks of one version",
                       record.origin, first.nccl_version, first.origin, record.nccl_version);
  return why_no_common_number(record, first);
}

}  // namespace

std::string why_not_one_job(std::span<const RankRecord> records) {
  for (const RankRecord& record : records)
    if (record.rank && record.ranks && *record.rank >= *record.ranks)
      return fmt::format("{}: expected a rank below the number of ranks, {}, found rank {}",
                         record.origin, *record.ranks, *record.rank);
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (std::string why = why_another_job(records[i], records.front()); !why.empty())
      return why;
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (std::string why = why_the_same_rank(records[i], records[earlier]); !why.empty())
        return why;
  }
  return {};
}

}  // namespace stepcast
