#pragma once
// What a quantity can plausibly be, wherever it comes from: a file, a `--set`, an option of the
// command line or of a schedule. Wide enough for any machine that could be built, and narrow enough
// that sums and products of what passes stay finite numbers.

#include "models/base/units.hpp"

namespace stepcast {

/// From `least` to `most`, in the SI base unit; zero as well if `or_zero`.
struct PlausibleRange {
  double least = 0;
  double most = 0;
  bool or_zero = false;
  const char* words = "";  ///< As an error puts it: "a time of 0 or from 1 fs to 1e9 s"

  constexpr bool contains(double value) const {
    return (value >= least && value <= most) || (or_zero && value == 0);
  }
};

inline constexpr PlausibleRange kTimeRange{1e-15, 1e9, true,
                                           "a time of 0 or from 1e-15 s to 1e9 s"};
inline constexpr PlausibleRange kSizeRange{0, 1e18, true, "a size of at most 1e18 B"};
inline constexpr PlausibleRange kBandwidthRange{1, 1e18, false,
                                                "a bandwidth from 1 B/s to 1e18 B/s"};
inline constexpr PlausibleRange kNumberRange{-1e30, 1e30, true, "a number from -1e30 to 1e30"};
inline constexpr PlausibleRange kScaleRange{0, 1e6, true, "a factor of at most 1e6"};
inline constexpr PlausibleRange kCountRange{0, 1e15, true, "a whole number of at most 1e15"};

/// What all tasks of a step may take, computed one after the other.
inline constexpr Seconds kLongestWork{1e12};
/// What one message of a collective may hold: SimGrid counts units of 2^-20 bytes in 64 bits.
inline constexpr Bytes kLargestMessage{8796093022208.0};  // 8 TiB

}  // namespace stepcast
