#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace stepcast {

/// Hosts that are as one, by the least of them.
class JoinedHosts {
 public:
  explicit JoinedHosts(std::uint32_t hosts) : least_(hosts) {
    std::iota(least_.begin(), least_.end(), 0U);
  }
  std::uint32_t of(std::uint32_t host) const {
    while (least_[host] != host)
      host = least_[host];
    return host;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t one = of(a);
    const std::uint32_t other = of(b);
    least_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<std::uint32_t> least_;
};

}  // namespace stepcast
