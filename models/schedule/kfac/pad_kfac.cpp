#include <utility>

#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

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
      step_.reduce_factors(reduced_, std::exchange(open_, {}), owners_[factor]);
  }

  kfac::ReducedFactors& reduced() { return reduced_; }

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
  kfac::ReducedFactors reduced_;
};

kfac::InversesInFlight invert_and_broadcast_blocks(Step& step, kfac::ReducedFactors& reduced,
                                                   std::span<const Rank> owners, bool fused) {
  kfac::InversesInFlight inverses;
  std::vector<std::size_t> block;
  for (std::size_t factor = 0; factor < owners.size(); ++factor) {
    step.receive(reduced, owners[factor]);
    step.invert(factor, owners[factor]);
    block.push_back(factor);
    if (!fused || factor + 1 == owners.size() || owners[factor + 1] != owners[factor])
      step.broadcast_inverses(inverses, std::exchange(block, {}), owners[factor]);
  }
  return inverses;
}

// A factor is summed on the one rank that inverts it, during the passes; the packed inverses of a
// rank are broadcast together.
Plan build_pad_kfac(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Step step(workload, cluster, read);
  step.reduce_without_horovod();
  const bool fused = read.is("fusion", "owner");
  const auto owners = contiguous_owners(step, kfac::owners_of(read, cluster));
  Reduction reduction(step, owners, fused);
  Pending gradients = step.passes([&](std::size_t factor) { reduction.construct(factor); });
  step.wait(gradients);
  kfac::InversesInFlight inverses =
      invert_and_broadcast_blocks(step, reduction.reduced(), owners, fused);
  step.wait(inverses);
  kfac::precondition_everywhere(step);
  step.wait(reduction.reduced());
  return std::move(step).finish();
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options(
      {choice_option("fusion", "owner",
                     "owner: consecutive tensors of one owner travel together; none",
                     {"owner", "none"}),
       kfac::owners_option()},
      kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo pad_kfac_schedule() {
  return kfac::system_of<build_pad_kfac>(
      "pad-kfac", "K-FAC, placement-aware: factors reduced to the owner of a contiguous block",
      "prototype in the repository of the authors of SPD-KFAC (lzhangbv/kfac_pytorch)", options());
}

}  // namespace stepcast
