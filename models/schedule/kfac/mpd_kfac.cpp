#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Factor i belongs to rank i mod P, first all A and then all G, if there are more ranks than
// layers; else both of layer l to rank l mod P.
std::vector<Rank> owners_in_turn(std::uint32_t layers, std::uint32_t ranks) {
  std::vector<Rank> owners(2 * std::size_t{layers});
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    owners[2 * layer] = layer % ranks;
    owners[2 * layer + 1] = (ranks > layers ? layers + layer : layer) % ranks;
  }
  return owners;
}

Plan build_mpd_kfac(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  kfac::Step step(workload, cluster, read);
  const auto owners = owners_in_turn(step.layers(), kfac::owners_of(read, cluster));
  kfac::factors_after_backward(step);
  kfac::InversesInFlight inverses = kfac::invert_and_broadcast(step, owners);
  step.wait(inverses);
  kfac::precondition_everywhere(step);
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo mpd_kfac_schedule() {
  return kfac::system_of<build_mpd_kfac>(
      "mpd-kfac", "K-FAC, model parallel: factors inverted in turn, every inverse broadcast",
      "Pauloski et al., SC 2020; as measured by Shi et al., ICDCS 2021",
      kfac::with_common_options({kfac::owners_option()}, kfac::Hooks::No));
}

}  // namespace stepcast
