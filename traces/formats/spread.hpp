#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// How far repetitions of one measurement lie apart.
struct Spread {
  std::size_t count = 0;
  Seconds mean{};
  Seconds median{};
  Seconds deviation{};  ///< Standard deviation, with count - 1; 0 of a single one.
  Seconds smallest{};
  Seconds largest{};
};

/// All zero of no times.
Spread spread_of(std::vector<Seconds> times);

/// "222.4 ms (standard deviation 2.6 ms, median 222.5 ms, 219.8 ms to 224.9 ms)"; of a single one
/// the time alone.
std::string describe(const Spread& spread);

}  // namespace stepcast
