#include "sim/report/fields/step_parts.hpp"

#include <array>

namespace stepcast {
namespace {

template <auto Member>
Seconds time_of(const Breakdown& parts) {
  if constexpr (std::same_as<decltype(Member), Seconds Breakdown::*>)
    return parts.*Member;
  else
    return total_of(parts.*Member);
}

constexpr std::array kStepParts = std::to_array<StepPart>({
    {"forward", "forward_s", time_of<&Breakdown::forward>},
    {"backward", "backward_s", time_of<&Breakdown::backward>},
    {"recomputation", "recomputation_s", time_of<&Breakdown::recomputation>},
    {"other compute", "other_compute_s", time_of<&Breakdown::other_compute>},
    {"exposed communication", "exposed_communication_s",
     time_of<&Breakdown::exposed_communication>},
    {"waiting for slower ranks", "waiting_s", time_of<&Breakdown::waiting>},
    {"pipeline bubble", "pipeline_bubble_s", time_of<&Breakdown::bubble>},
    {"idle", "idle_s", time_of<&Breakdown::idle>},
});

}  // namespace

std::span<const StepPart> step_parts() {
  return kStepParts;
}

}  // namespace stepcast
