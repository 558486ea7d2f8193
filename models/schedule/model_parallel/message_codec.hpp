#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// How messages of a kind are compressed.
struct MessageCodec {
  double ratio = 1;       ///< Bytes over those that are sent.
  BytesPerSecond rate{};  ///< At which a GPU packs them, or unpacks; 0: free.
  bool at_hops = false;   ///< Sums are unpacked, added to and packed at every hop of the ring.

  /// To pack or unpack.
  Seconds once(Bytes size) const {
    return ratio > 1 && rate > BytesPerSecond{} ? size / rate : Seconds{};
  }
  /// Beside a sum of so many ranks: packed and unpacked at both ends; or, at hops, unpacked and
  /// packed n - 1 times in parts of a n-th, and unpacked at the end.
  Seconds of_sum(Bytes size, std::uint32_t ranks) const {
    const double n = ranks;
    return once(size) * (at_hops ? 2 * (n - 1) / n + 1 : 2);
  }
};

/// What joins two neighbouring stages that stand far apart.
struct StageLink {
  BytesPerSecond bandwidth{};  ///< Of all messages together.
  Seconds startup{};           ///< Delays each message; the link carries others meanwhile.
  double ratio = 1;            ///< Of compression on it.
};

/// "10Gbps,100Mbps/40ms": a bandwidth, and a start-up, for each of `count` links. Throws
/// InputError.
std::vector<StageLink> parse_stage_links(std::string_view text, std::size_t count);

/// The slowest link for `size` bytes is compressed by `most`, others by less in proportion to their
/// time, none by less than 1 (FusionLLM's adaptive compression, Tang et al., 2024).
void adapt_ratios(std::vector<StageLink>& links, Bytes size, double most);

}  // namespace stepcast
