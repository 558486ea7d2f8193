#include "models/schedule/kfac/schedules.hpp"
#include "models/schedule/kfac/shared.hpp"

namespace stepcast {
namespace {

// Layer l belongs to rank l mod P, which constructs the factors from its own mini-batch alone,
// inverts them, preconditions the layer's averaged gradient and broadcasts the result. No factor
// and no inverse travels.
Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("dp-kfac", options);
  kfac::Step step("dp-kfac", workload, cluster, read);
  const auto owners = kfac::place_in_turn(step.layers(), kfac::owners_of(read, cluster));
  step.passes([&](std::size_t factor) { step.construct(factor, owners[factor / 2]); });
  step.wait_for_gradients();
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    step.invert(2 * layer, owners[layer]);
    step.invert(2 * layer + 1, owners[layer]);
    step.precondition(layer, step.group_of({owners[layer]}));
    step.broadcast_gradient(layer, owners[layer]);
  }
  return std::move(step).finish();
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options({kfac::owners_option()}, kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo dp_kfac_schedule() {
  return {.name = "dp-kfac",
          .summary = "K-FAC, distributed preconditioning: local factors, gradients broadcast",
          .source = "Zhang et al., DP-KFAC, 2022",
          .options = options(),
          .build = build,
          .second_order = true};
}

}  // namespace stepcast
