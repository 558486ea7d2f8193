#include "models/schedule/kfac/shared.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast::kfac {

void factors_after_backward(Step& step) {
  step.passes();
  step.wait_for_gradients();
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.construct(factor);
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.all_reduce_factors({&factor, 1});
  step.wait_for_factors();
}

void precondition_everywhere(Step& step) {
  step.wait_for_inverses();
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer)
    step.precondition(layer);
}

void invert_and_broadcast(Step& step, std::span<const Rank> owners) {
  const Rank last = owners.empty() ? 0 : *std::ranges::max_element(owners);
  for (Rank owner = 0; owner <= last; ++owner)
    for (std::size_t factor = 0; factor < owners.size(); ++factor)
      if (owners[factor] == owner)
        step.invert(factor, owner);
  step.broadcast_inverses_in_bulk(owners);
}

OptionInfo owners_option() {
  return {.name = "owners",
          .default_value = "all",
          .meaning = "how many ranks own factors: all, or a number up to the number of ranks"};
}

std::uint32_t owners_of(const OptionReader& read, const Cluster& cluster) {
  if (read.text("owners") == "all")
    return cluster.ranks();
  const std::uint32_t owners = read.count("owners", 1);
  if (owners > cluster.ranks())
    read.fail("owners", fmt::format("expected at most {}, the number of ranks, found {}",
                                    cluster.ranks(), owners));
  return owners;
}

}  // namespace stepcast::kfac
