#include "traces/readers/kineto/groups/model_groups.hpp"

#include <map>
#include <optional>

#include "traces/readers/kineto/layers/layer_units.hpp"

namespace stepcast {

std::set<GroupRanks> model_groups_of(const KinetoTrace& trace, const KinetoView& view) {
  std::set<GroupRanks> groups;
  std::map<std::uint32_t, std::optional<Seconds>> backward;  // By step.
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep || work.launch == kNoEvent)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const bool reduces =
        known.kind == CollectiveKind::AllReduce || known.kind == CollectiveKind::ReduceScatter;
    const bool part =
        !known.group.empty() && trace.world_size && known.group.size() < *trace.world_size;
    if (!reduces || !part)
      continue;
    const auto [begin, added] = backward.try_emplace(work.step);
    if (added)
      begin->second = LayerUnits(trace, view, work.step).backward_begin();
    if (is_launched_forward(trace, work, begin->second))
      groups.insert(known.group);
  }
  return groups;
}

}  // namespace stepcast
