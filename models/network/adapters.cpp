#include "models/network/adapters.hpp"

#include <fmt/format.h>

namespace stepcast {

std::string bits_per_second(BytesPerSecond bandwidth) {
  constexpr double kBits = 8;
  const double bits = bandwidth.value * kBits;
  constexpr double kExponent = 9999.5e9;  // From here on four digits of Gb/s need an exponent.
  if (bits >= kExponent)
    return fmt::format("{:.4g} Tb/s", bits * 1e-12);
  if (bits >= 1e9)
    return fmt::format("{:.4g} Gb/s", bits * 1e-9);
  return bits >= 1e6 ? fmt::format("{:.4g} Mb/s", bits * 1e-6)
                     : fmt::format("{:.4g} kb/s", bits * 1e-3);
}

std::string adapters_of(const Cluster& cluster) {
  const std::string each = bits_per_second(cluster.nic.bandwidth);
  return cluster.nics == 1 ? each : fmt::format("{} x {}", cluster.nics, each);
}

std::string adapters_in_words(const Cluster& cluster) {
  const BytesPerSecond all = cluster.nic.bandwidth * cluster.nics;
  const BytesPerSecond filled = node_link(cluster).bandwidth;
  std::string text = adapters_of(cluster);
  if (cluster.nics > 1)
    text += fmt::format(", {} in total", bits_per_second(all));
  if (filled < all)
    text += fmt::format(", of which its GPUs fill {}", bits_per_second(filled));
  return text;
}

}  // namespace stepcast
