#include "traces/replay/predictable.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// The ranks of the job; 0 if neither it nor its largest group was recorded.
std::uint32_t job_size(const RecordedStep& step) {
  std::uint32_t ranks = step.world_size;
  for (const RecordedTask& task : step.tasks)
    ranks = std::max(ranks, task.ranks);
  return ranks;
}

/// " (0, 1, 2, ...)", " (which is not recorded)".
std::string which(const RecordedTask& task) {
  constexpr std::size_t kShown = 8;
  if (task.group.empty())
    return " (which is not recorded)";
  const std::span<const std::uint32_t> group(task.group);
  return fmt::format(" ({}{})", fmt::join(group.first(std::min(kShown, group.size())), ", "),
                     group.size() > kShown ? ", ..." : "");
}

/// Why a collective cannot be predicted; empty if it can.
std::string why_unpredictable(const RecordedTask& task, std::uint32_t job) {
  if (!task.collective)
    return "its kind was not recorded, so it cannot be predicted; --without all leaves collectives "
           "out";
  const std::string_view kind = name_of(*task.collective);
  if (*task.collective == CollectiveKind::Send)
    return fmt::format(
        "a point-to-point transfer cannot be predicted: its peer was not recorded; --without {} "
        "leaves it out",
        kind);
  if (task.size <= Bytes{})
    return fmt::format(
        "its size was not recorded, so it cannot be predicted: record with a PyTorch that notes "
        "\"In msg nelems\" and \"dtype\" of collectives; --without {} leaves it out",
        kind);
  if (task.ranks != 0 && task.ranks != job)
    return fmt::format(
        "{} of the job's {} ranks ran it{}: a replay takes all ranks as alike, so it cannot be "
        "predicted; --without {} leaves it out",
        task.ranks, job, which(task), kind);
  return "";
}

}  // namespace

bool is_removed(const RecordedTask& task, const WhatIf& change) {
  if (task.kind != RecordedKind::Collective)
    return false;
  if (!task.collective)
    return change.without.size() == all_collective_kinds().size();
  return std::ranges::find(change.without, *task.collective) != change.without.end();
}

bool is_predicted(const RecordedTask& task, const WhatIf& change) {
  return change.predict_collectives && task.kind == RecordedKind::Collective && task.ranks != 1 &&
         !is_removed(task, change);
}

void refuse_unpredictable(const RecordedStep& step, const WhatIf& change) {
  const std::uint32_t job = job_size(step);
  for (const RecordedTask& task : step.tasks)
    if (is_predicted(task, change))
      if (const std::string why = why_unpredictable(task, job); !why.empty())
        throw InputError(fmt::format("{}: {}: {}", step.name, task.label, why));
}

}  // namespace stepcast
