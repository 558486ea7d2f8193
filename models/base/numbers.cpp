#include "models/base/numbers.hpp"

#include <fmt/format.h>

namespace stepcast {

std::string milliseconds(Seconds time, int decimals) {
  return fmt::format("{:.{}f}", time.value * 1e3, decimals);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace stepcast
