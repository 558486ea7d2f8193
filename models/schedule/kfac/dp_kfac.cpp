#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Layer l belongs to rank l mod P, which constructs the factors from its own mini-batch alone,
// inverts them, preconditions the layer's averaged gradient and broadcasts the result. No factor
// and no inverse travels.
Plan build_dp_kfac(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  kfac::Step step(workload, cluster, read);
  const auto owners = kfac::place_in_turn(step.layers(), kfac::owners_of(read, cluster));
  Pending gradients =
      step.passes([&](std::size_t factor) { step.construct(factor, owners[factor / 2]); });
  step.wait(gradients);
  kfac::ResultsInFlight results;
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    step.invert(2 * layer, owners[layer]);
    step.invert(2 * layer + 1, owners[layer]);
    const TaskId preconditioned = step.precondition(layer, step.group_of({owners[layer]}));
    step.broadcast_gradient(results, layer, preconditioned, owners[layer]);
  }
  kfac::InversesInFlight none;  // each stays with its owner
  step.wait(none);
  step.wait(results);
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo dp_kfac_schedule() {
  return kfac::system_of<build_dp_kfac>(
      "dp-kfac", "K-FAC, distributed preconditioning: local factors, gradients broadcast",
      "Zhang et al., DP-KFAC, 2022",
      kfac::with_common_options({kfac::owners_option()}, kfac::Hooks::Yes));
}

}  // namespace stepcast
