#include "models/schedule/kfac/shared.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast::kfac {

void factors_after_backward(Step& step) {
  Pending gradients = step.passes();
  step.wait(gradients);
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.construct(factor);
  FactorsInFlight in_flight;
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor)
    step.all_reduce_factors(in_flight, {&factor, 1});
  step.wait(in_flight);
}

void precondition_everywhere(Step& step) {
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer)
    step.precondition(layer);
}

InversesInFlight invert_and_broadcast(Step& step, std::span<const Rank> owners) {
  const Rank last = owners.empty() ? 0 : *std::ranges::max_element(owners);
  for (Rank owner = 0; owner <= last; ++owner)
    for (std::size_t factor = 0; factor < owners.size(); ++factor)
      if (owners[factor] == owner)
        step.invert(factor, owner);
  InversesInFlight in_flight;
  step.broadcast_inverses_in_bulk(in_flight, owners);
  return in_flight;
}

OptionInfo owners_option() {
  return count_option("owners", "all",
                      "how many ranks own factors: all, or a number up to the number of ranks",
                      {.least = 1}, {"all"});
}

std::uint32_t owners_of(const OptionReader& read, const Cluster& cluster) {
  if (read.is("owners", "all"))
    return cluster.ranks();
  const std::uint32_t owners = read.count("owners");
  if (owners > cluster.ranks())
    read.fail("owners", fmt::format("expected at most {}, the number of ranks, found {}",
                                    cluster.ranks(), owners));
  return owners;
}

}  // namespace stepcast::kfac
