#include "sim/study/goodput/young_daly.hpp"

#include <cmath>

namespace stepcast {

Seconds daly_interval(Seconds checkpoint, Seconds mtbf) {
  const double d = checkpoint.value, m = mtbf.value;
  if (d >= 2 * m)
    return mtbf;
  const double half = d / (2 * m);
  return {std::sqrt(2 * d * m) * (1 + std::sqrt(half) / 3 + half / 9) - d};
}

double daly_efficiency(Seconds interval, const CheckpointCosts& costs, Seconds mtbf) {
  const double segment = (interval + costs.checkpoint) / mtbf;
  return interval / mtbf / (std::exp(costs.restart / mtbf) * std::expm1(segment));
}

}  // namespace stepcast
