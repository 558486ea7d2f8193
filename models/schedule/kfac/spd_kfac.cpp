#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/kfac/fusion.hpp"
#include "models/schedule/kfac/schedules.hpp"
#include "models/schedule/kfac/shared.hpp"

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
  const Seconds per_element = read.time_or("fusion_time_per_element", {});
  if (per_element == Seconds{})
    read.fail("fusion_time_per_element", "expected a time above 0, found \"0s\"");
  std::vector<kfac::FactorReady> tensors;
  for (const std::size_t factor : order)
    tensors.push_back({step.time_before(factor), step.factors()[factor].size});
  return kfac::fuse_optimally(tensors, {.startup = read.time_or("fusion_startup", {}),
                                        .bandwidth = Bytes{4.0} / per_element});
}

// All-reduces the factors of a pass group by group, where the last of a group is constructed.
class Pipeline {
 public:
  Pipeline(Step& step, const OptionReader& read) : step_(step) {
    for (const bool forward : {true, false})
      plan(ready_order(step, forward), read);
  }

  void construct(std::size_t factor) {
    step_.construct(factor);
    if (const auto& group = closed_by_[factor]; !group.empty())
      step_.all_reduce_factors(group, false);
  }

 private:
  void plan(const std::vector<std::size_t>& order, const OptionReader& read) {
    const std::string& fusion = read.text("fusion");
    const auto groups = fusion == "optimal"     ? planned_groups(step_, read, order)
                        : fusion == "threshold" ? filled_groups(step_, order)
                                                : std::vector<std::uint32_t>{};
    closed_by_.resize(step_.factors().size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < order.size(); ++i) {
      open.push_back(order[i]);
      if (groups.empty() || i + 1 == order.size() || groups[i + 1] != groups[i])
        closed_by_[order[i]] = std::exchange(open, {});
    }
  }

  Step& step_;
  std::vector<std::vector<std::size_t>> closed_by_;  // by factor
};

void pipelined_passes(Step& step, const OptionReader& read) {
  Pipeline pipeline(step, read);
  step.passes([&](std::size_t factor) { pipeline.construct(factor); });
  step.wait_for_gradients();
  step.wait_for_factors();
}

// Whether a factor is inverted on every rank (NCT) rather than on one and broadcast (CT).
std::vector<bool> small_factors(const Step& step, const OptionReader& read) {
  const bool by_size = read.choice("balance", {"threshold", "criterion"}) == "threshold";
  const std::uint32_t threshold = read.count("balance_threshold", 0);
  const Seconds startup = read.time_or("broadcast_startup", {});
  const Seconds per_element = read.time_or("broadcast_time_per_element", {});
  std::vector<bool> small;
  for (const kfac::Factor& factor : step.factors()) {
    const Seconds broadcast = startup + per_element * (factor.size / Bytes{4.0});
    small.push_back(by_size ? factor.side < threshold : factor.inversion <= broadcast);
  }
  return small;
}

void invert_balanced(Step& step, const OptionReader& read, std::uint32_t ranks) {
  std::vector<std::uint32_t> sides;
  for (const kfac::Factor& factor : step.factors())
    sides.push_back(factor.side);
  const auto owners = kfac::place_balanced(sides, small_factors(step, read), ranks);
  for (std::size_t factor = 0; factor < owners.size(); ++factor) {
    step.invert(factor, owners[factor]);
    if (owners[factor] != kfac::kEveryRank)
      step.broadcast_inverses({&factor, 1}, owners[factor]);
  }
}

// Sequential: factor i, all A and then all G, belongs to rank i mod P.
void invert_in_turn(Step& step, std::uint32_t ranks) {
  const auto in_turn = kfac::place_in_turn(step.factors().size(), ranks);
  std::vector<Rank> owners(in_turn.size());
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    owners[2 * layer] = in_turn[layer];
    owners[2 * layer + 1] = in_turn[step.layers() + layer];
  }
  kfac::invert_and_broadcast(step, owners);
}

// A and G are constructed within the passes and all-reduced while these go on; small inverses are
// computed everywhere, large ones once and broadcast as soon as they are there.
Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("spd-kfac", options);
  Step step("spd-kfac", workload, cluster, read);
  const std::uint32_t ranks = kfac::owners_of(read, cluster);
  const bool pipelining = read.choice("pipelining", {"on", "off"}) == "on";
  const std::string& fusion = read.choice("fusion", {"optimal", "threshold", "none", "naive"});
  const std::string& placement = read.choice("placement", {"lbp", "sequential", "none"});
  if (pipelining && fusion != "naive")
    pipelined_passes(step, read);
  else
    kfac::factors_after_backward(step);
  if (placement == "sequential")
    invert_in_turn(step, ranks);
  else if (placement == "lbp")
    invert_balanced(step, read, ranks);
  else
    for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
      step.invert(factor);
  kfac::precondition_everywhere(step);
  return std::move(step).finish();
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options(
      {{.name = "pipelining",
        .default_value = "on",
        .meaning = "on: factors within the passes; off: after them, communicated in bulk"},
       {.name = "fusion",
        .default_value = "optimal",
        .meaning = "which factors travel together: optimal (planned), threshold (Horovod's), none "
                   "(set fusion_buffer=0B too, to fuse no gradients either) or naive (all in bulk, "
                   "as without pipelining)"},
       {.name = "fusion_startup",
        .default_value = "929us",
        .meaning = "fusion=optimal: start-up of an all-reduce that the planner assumes"},
       {.name = "fusion_time_per_element",
        .default_value = "1.4335ns",
        .meaning = "fusion=optimal: time for each fp32 element that the planner assumes, above 0"},
       {.name = "placement",
        .default_value = "lbp",
        .meaning = "who inverts: lbp (balanced), sequential (in turn) or none (every rank all)"},
       {.name = "balance",
        .default_value = "threshold",
        .meaning =
            "placement=lbp: what is inverted everywhere: sides below the threshold (code), or "
            "by the criterion that inverting takes no longer than broadcasting (paper)"},
       {.name = "balance_threshold",
        .default_value = "1400",
        .meaning = "balance=threshold: smallest side that one rank inverts and broadcasts"},
       {.name = "broadcast_startup",
        .default_value = "250us",
        .meaning = "balance=criterion: start-up of a broadcast"},
       {.name = "broadcast_time_per_element",
        .default_value = "0.736ns",
        .meaning = "balance=criterion: time of a broadcast for each fp32 element"},
       kfac::owners_option()},
      kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo spd_kfac_schedule() {
  return {.name = "spd-kfac",
          .summary = "K-FAC, smart: factors pipelined with the passes, inverses balanced",
          .source = "Shi, Zhang and Li, SPD-KFAC, ICDCS 2021",
          .options = options(),
          .build = build,
          .second_order = true};
}

}  // namespace stepcast
