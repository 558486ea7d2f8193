#include "traces/readers/kineto/rank_record_of.hpp"

#include "traces/readers/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

bool ends_together(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllGather:
    case CollectiveKind::AllToAll:
      return true;
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
    case CollectiveKind::Send:
      return false;
  }
  return false;
}

/// The ranks of the group; empty: all. Nothing if these are a part that is not known.
std::optional<GroupRanks> group_of(const KnownCollective& known, const KinetoTrace& trace) {
  if (known.ranks == 0 || !trace.world_size || known.ranks == *trace.world_size)
    return GroupRanks();
  return known.group.empty() ? std::nullopt : std::optional(known.group);
}

}  // namespace

RankRecord rank_record_of(const KinetoTrace& trace, const KinetoView& view,
                          const std::string& origin) {
  RankRecord record{.origin = origin,
                    .rank = trace.rank,
                    .ranks = trace.world_size,
                    .nccl_version = trace.nccl_version,
                    .first_time_us = trace.first_time_us,
                    .steps = view.steps.steps.size(),
                    .mean_step = device_period(view),
                    .collectives = {}};
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const auto group = group_of(known, trace);
    if (!known.kind || !ends_together(*known.kind) || !group)
      continue;
    const KinetoEvent& event = trace.events[work.event];
    record.collectives.push_back({.kind = *known.kind,
                                  .size = known.size,
                                  .group = *group,
                                  .sequence = known.sequence,
                                  .step = common_number(view.steps, work.step),
                                  .begin = event.start,
                                  .end = event.end(),
                                  .id = work.event});
  }
  return record;
}

}  // namespace stepcast
