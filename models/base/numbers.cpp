#include "models/base/numbers.hpp"

#include <fmt/format.h>

namespace stepcast {

std::string milliseconds(Seconds time, int decimals) {
  return fmt::format("{:.{}f}", time.value * 1e3, decimals);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string gbps(BytesPerSecond bandwidth) {
  return fmt::format("{:.4g} Gb/s", bandwidth.value * 8 / 1e9);
}

std::string gpus_in_words(std::uint32_t count) {
  return fmt::format("{} GPU{}", count, count == 1 ? "" : "s");
}

}  // namespace stepcast
