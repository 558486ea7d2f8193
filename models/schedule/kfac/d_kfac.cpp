#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Every rank inverts every factor of the averaged Fisher matrix, after the backward pass.
Plan build_d_kfac(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  kfac::Step step(workload, cluster, read);
  kfac::factors_after_backward(step);
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.invert(factor);
  kfac::InversesInFlight none;  // every rank has them
  step.wait(none);
  kfac::precondition_everywhere(step);
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo d_kfac_schedule() {
  return kfac::system_of<build_d_kfac>(
      "d-kfac", "K-FAC, data parallel: all factors all-reduced, every rank inverts all",
      "Osawa et al., CVPR 2019; as measured by Shi et al., ICDCS 2021",
      kfac::with_common_options({}, kfac::Hooks::No));
}

}  // namespace stepcast
