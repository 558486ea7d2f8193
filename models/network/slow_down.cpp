#include "models/network/slow_down.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "models/base/mix.hpp"

// A counter-based stream: the counter (seed, law, rank, iteration, draw) is hashed into 64 bits, of
// which the upper 53 become a number in [0, 1). O(1) for any draw, without those before it.

namespace stepcast {
namespace {

struct Counter {
  std::uint64_t seed = 0;
  std::uint64_t law = 0;
  Rank rank = 0;
  std::uint32_t iteration = 0;

  double uniform(std::uint64_t draw) const {
    const std::uint64_t bits = mixed(mixed(mixed(mixed(seed, law), rank), iteration), draw);
    return static_cast<double>(bits >> 11U) * 0x1p-53;
  }

  double normal() const {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0)));
    return radius * std::cos(2 * std::numbers::pi * uniform(1));
  }
};

double factor_of(const SlowDown::Fixed& law, const Counter& counter) {
  return law.rank == counter.rank ? law.factor : 1;
}

double factor_of(const SlowDown::Bernoulli& law, const Counter& counter) {
  return counter.uniform(0) < law.probability ? law.factor : 1;
}

double factor_of(const SlowDown::LogNormal& law, const Counter& counter) {
  return std::exp(law.sigma * counter.normal());
}

}  // namespace

double SlowDown::factor(Rank rank, std::uint32_t iteration) const {
  double product = 1;
  for (std::size_t i = 0; i < laws.size(); ++i)
    product *= std::visit(
        [&](const auto& law) {
          return factor_of(law, {seed, i, rank, iteration});
        },
        laws[i]);
  return product;
}

std::uint64_t SlowDown::kind_of(Rank rank) const {
  std::uint64_t kind = 0;
  for (const Law& law : laws)
    if (const auto* fixed = std::get_if<Fixed>(&law))
      kind = fixed->rank == rank ? mixed(kind, std::bit_cast<std::uint64_t>(fixed->factor)) : kind;
    else
      kind = mixed(kind, rank);
  return kind;
}

}  // namespace stepcast
