#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast {

/// How much slower ranks compute, from iteration to iteration: a value with a seed, not a generator
/// with a state. Every draw belongs to (seed, law, rank, iteration), so that all schedules meet the
/// same chances in whatever order they ask.
struct SlowDown {
  /// One rank, always.
  struct Fixed {
    Rank rank = 0;
    double factor = 1;
  };
  /// Every rank by itself: `factor` with a probability, else 1.
  struct Bernoulli {
    double factor = 1;
    double probability = 0;
  };
  /// Every rank by itself: exp(sigma * z), z normal; the median is 1.
  struct LogNormal {
    double sigma = 0;
  };
  using Law = std::variant<Fixed, Bernoulli, LogNormal>;

  std::vector<Law> laws;  ///< Their factors multiply.
  std::uint64_t seed = 0;

  /// Time of a compute task over its usual time.
  double factor(Rank rank, std::uint32_t iteration) const;

  /// Ranks with the same number have the same factors in all iterations.
  std::uint64_t kind_of(Rank rank) const;
};

}  // namespace stepcast
