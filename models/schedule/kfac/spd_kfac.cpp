#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/kfac/fusion.hpp"
#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

using kfac::Step;

// The factors of one pass in the order in which they become ready: A forward, G backward.
std::vector<std::size_t> ready_order(const Step& step, bool forward) {
  std::vector<std::size_t> factors;
  for (std::uint32_t i = 0; i < step.layers(); ++i)
    factors.push_back(forward ? 2 * i : 2 * (step.layers() - 1 - i) + 1);
  return factors;
}

// The host issues the passes ahead of the GPU, so Horovod fills its buffer with factors before
// they are there.
std::vector<std::uint32_t> filled_groups(const Step& step, std::span<const std::size_t> order) {
  std::vector<std::uint32_t> groups;
  std::uint32_t group = 0;
  Bytes filled{};
  for (const std::size_t factor : order) {
    const Bytes size = step.factors()[factor].size;
    if (filled > Bytes{} && filled + size > step.fusion_buffer()) {
      ++group;
      filled = {};
    }
    filled += size;
    groups.push_back(group);
  }
  return groups;
}

std::vector<std::uint32_t> planned_groups(const Step& step, const OptionReader& read,
                                          std::span<const std::size_t> order) {
  std::vector<kfac::FactorReady> tensors;
  for (const std::size_t factor : order)
    tensors.push_back({step.time_before(factor), step.factors()[factor].size});
  return kfac::fuse_optimally(tensors,
                              {.startup = read.time("fusion_startup"),
                               .bandwidth = Bytes{4.0} / read.time("fusion_time_per_element")});
}

// For each factor those that are all-reduced together once it is constructed: its group, if it is
// the last of it.
std::vector<std::vector<std::size_t>> closed_groups(const Step& step, const OptionReader& read) {
  std::vector<std::vector<std::size_t>> closed_by(step.factors().size());
  for (const bool forward : {true, false}) {
    const auto order = ready_order(step, forward);
    const auto groups = read.is("fusion", "optimal")     ? planned_groups(step, read, order)
                        : read.is("fusion", "threshold") ? filled_groups(step, order)
                                                         : std::vector<std::uint32_t>{};
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < order.size(); ++i) {
      open.push_back(order[i]);
      if (groups.empty() || i + 1 == order.size() || groups[i + 1] != groups[i])
        closed_by[order[i]] = std::exchange(open, {});
    }
  }
  return closed_by;
}

// A and G are constructed within the passes and all-reduced group by group while these go on; what
// is still under way after the gradients is waited for.
void pipelined_passes(Step& step, const OptionReader& read) {
  const auto closed_by = closed_groups(step, read);
  kfac::FactorsInFlight factors;
  Pending gradients = step.passes([&](std::size_t factor) {
    step.construct(factor);
    if (const auto& group = closed_by[factor]; !group.empty())
      step.all_reduce_factors(factors, group, false);
  });
  step.wait(gradients);
  step.wait(factors);
}

// Whether a factor is inverted on every rank (NCT) rather than on one and broadcast (CT).
std::vector<bool> small_factors(const Step& step, const OptionReader& read) {
  const bool by_size = read.is("balance", "threshold");
  const std::uint32_t threshold = read.count("balance_threshold");
  const Seconds startup = read.time("broadcast_startup");
  const Seconds per_element = read.time("broadcast_time_per_element");
  std::vector<bool> small;
  for (const kfac::Factor& factor : step.factors()) {
    const Seconds broadcast = startup + per_element * (factor.size / Bytes{4.0});
    small.push_back(by_size ? factor.side < threshold : factor.inversion <= broadcast);
  }
  return small;
}

kfac::InversesInFlight invert_balanced(Step& step, const OptionReader& read, std::uint32_t ranks) {
  std::vector<std::uint32_t> sides;
  for (const kfac::Factor& factor : step.factors())
    sides.push_back(factor.side);
  const auto owners = kfac::place_balanced(sides, small_factors(step, read), ranks);
  kfac::InversesInFlight inverses;
  for (std::size_t factor = 0; factor < owners.size(); ++factor) {
    step.invert(factor, owners[factor]);
    if (owners[factor] != kfac::kEveryRank)
      step.broadcast_inverses(inverses, {&factor, 1}, owners[factor]);
  }
  return inverses;
}

// Sequential: factor i, all A and then all G, belongs to rank i mod P.
kfac::InversesInFlight invert_in_turn(Step& step, std::uint32_t ranks) {
  const auto in_turn = kfac::place_in_turn(step.factors().size(), ranks);
  std::vector<Rank> owners(in_turn.size());
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    owners[2 * layer] = in_turn[layer];
    owners[2 * layer + 1] = in_turn[step.layers() + layer];
  }
  return kfac::invert_and_broadcast(step, owners);
}

kfac::InversesInFlight invert_everywhere(Step& step) {
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.invert(factor);
  return {};
}

// Factors pipelined with the passes; then small inverses are computed everywhere, large ones once
// and broadcast as soon as they are there, and all ranks precondition when the last has come.
Plan build_spd_kfac(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Step step(workload, cluster, read);
  const std::uint32_t ranks = kfac::owners_of(read, cluster);
  if (read.is("pipelining", "on") && !read.is("fusion", "naive"))
    pipelined_passes(step, read);
  else
    kfac::factors_after_backward(step);
  kfac::InversesInFlight inverses = read.is("placement", "sequential") ? invert_in_turn(step, ranks)
                                    : read.is("placement", "lbp")
                                        ? invert_balanced(step, read, ranks)
                                        : invert_everywhere(step);
  step.wait(inverses);
  kfac::precondition_everywhere(step);
  return std::move(step).finish();
}

OptionInfo assumed_time(std::string name, std::string value, std::string meaning) {
  return time_option(std::move(name), std::move(value), std::move(meaning));
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options(
      {choice_option("pipelining", "on",
                     "on: factors within the passes; off: after them, communicated in bulk",
                     {"on", "off"}),
       choice_option(
           "fusion", "optimal",
           "which factors travel together: optimal (planned), threshold (Horovod's), none "
           "(set fusion_buffer=0B too, to fuse no gradients either) or naive (all in bulk, "
           "as without pipelining)",
           {"optimal", "threshold", "none", "naive"}),
       assumed_time("fusion_startup", "929us",
                    "fusion=optimal: start-up of an all-reduce that the planner assumes"),
       time_option("fusion_time_per_element", "1.4335ns",
                   "fusion=optimal: time for each fp32 element that the planner assumes, above 0",
                   {.above_least = true}),
       choice_option("placement", "lbp",
                     "who inverts: lbp (balanced), sequential (in turn) or none (every rank all)",
                     {"lbp", "sequential", "none"}),
       choice_option(
           "balance", "threshold",
           "placement=lbp: what is inverted everywhere: sides below the threshold (code), or "
           "by the criterion that inverting takes no longer than broadcasting (paper)",
           {"threshold", "criterion"}),
       count_option("balance_threshold", "1400",
                    "balance=threshold: smallest side that one rank inverts and broadcasts"),
       assumed_time("broadcast_startup", "250us", "balance=criterion: start-up of a broadcast"),
       assumed_time("broadcast_time_per_element", "0.736ns",
                    "balance=criterion: time of a broadcast for each fp32 element"),
       kfac::owners_option()},
      kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo spd_kfac_schedule() {
  return kfac::system_of<build_spd_kfac>(
      "spd-kfac", "K-FAC, smart: factors pipelined with the passes, inverses balanced",
      "Shi, Zhang and Li, SPD-KFAC, ICDCS 2021", options());
}

}  // namespace stepcast
