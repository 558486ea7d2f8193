#include <utility>

#include "models/schedule/kfac/schedules.hpp"
#include "models/schedule/kfac/shared.hpp"

namespace stepcast {
namespace {

using kfac::Step;

// Factors A0 G0 A1 G1 .. in contiguous blocks of about equal sums of sides.
std::vector<Rank> contiguous_owners(const Step& step, std::uint32_t ranks) {
  std::vector<double> sides;
  for (const kfac::Factor& factor : step.factors())
    sides.push_back(factor.side);
  return kfac::place_contiguous(sides, ranks);
}

// Constructs factors in hook order and reduces those of one owner that follow each other together.
class Reduction {
 public:
  Reduction(Step& step, std::span<const Rank> owners, bool fused)
      : step_(step), owners_(owners), fused_(fused) {}

  void construct(std::size_t factor) {
    step_.construct(factor);
    open_.push_back(factor);
    if (!fused_ || !has_next(factor) || owners_[next_of(factor)] != owners_[factor])
      step_.reduce_factors(std::exchange(open_, {}), owners_[factor]);
  }

 private:
  static std::size_t next_of(std::size_t factor) {
    return factor % 2 == 0 ? factor + 2 : factor - 2;
  }
  bool has_next(std::size_t factor) const {
    return factor % 2 == 0 ? factor + 2 < owners_.size() : factor > 1;
  }

  Step& step_;
  std::span<const Rank> owners_;
  bool fused_ = true;
  std::vector<std::size_t> open_;
};

void invert_and_broadcast_blocks(Step& step, std::span<const Rank> owners, bool fused) {
  std::vector<std::size_t> block;
  for (std::size_t factor = 0; factor < owners.size(); ++factor) {
    step.invert(factor, owners[factor]);
    block.push_back(factor);
    if (!fused || factor + 1 == owners.size() || owners[factor + 1] != owners[factor])
      step.broadcast_inverses(std::exchange(block, {}), owners[factor]);
  }
}

// A factor is summed on the one rank that inverts it, during the passes; the packed inverses of a
// rank are broadcast together.
Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("pad-kfac", options);
  Step step("pad-kfac", workload, cluster, read);
  step.reduce_without_horovod();
  const bool fused = read.choice("fusion", {"owner", "none"}) == "owner";
  const auto owners = contiguous_owners(step, kfac::owners_of(read, cluster));
  Reduction reduction(step, owners, fused);
  step.passes([&](std::size_t factor) { reduction.construct(factor); });
  step.wait_for_gradients();
  invert_and_broadcast_blocks(step, owners, fused);
  kfac::precondition_everywhere(step);
  return std::move(step).finish();
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options(
      {{.name = "fusion",
        .default_value = "owner",
        .meaning = "owner: consecutive tensors of one owner travel together; none"},
       kfac::owners_option()},
      kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo pad_kfac_schedule() {
  return {
      .name = "pad-kfac",
      .summary = "K-FAC, placement-aware: factors reduced to the owner of a contiguous block",
      .source = "prototype in the repository of the authors of SPD-KFAC (lzhangbv/kfac_pytorch)",
      .options = options(),
      .build = build,
      .second_order = true};
}

}  // namespace stepcast
