#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "traces/job/clock/clock_evidence.hpp"

namespace stepcast {

/// How far messages let a clock have been set anew: nothing arrives before it was sent, whatever
/// ends of collectives seem to say, which some ranks record earlier than others.
///
/// Before and behind the step the two clocks are taken to lie on lines of one slope (any that
/// crystals and daemons allow). Of two hosts messages in both directions bound either line, and so
/// how far these are apart. Cost: a look at each message; 300 looks at the steps of two hosts.
class JumpBounds {
 public:
  explicit JumpBounds(const ClockEvidence& evidence);

  /// Seconds by which the clock of `host` may at most have been set ahead of that of `other`
  /// between the steps `from` to before `step`, and those to before `end`. Infinite where messages
  /// on both sides do not say, or contradict each other.
  double most_ahead(std::uint32_t host, std::uint32_t other, std::size_t from, std::size_t step,
                    std::size_t end) const;

 private:
  struct Bound {
    std::uint32_t step = 0;
    double at = 0;  ///< Seconds since the first step began.
    double most = 0;
  };
  using Bounds = std::vector<Bound>;

  Bounds between(std::uint32_t before, std::uint32_t after, std::size_t from,
                 std::size_t end) const;

  std::map<std::pair<std::uint32_t, std::uint32_t>, Bounds> tightest_;  // Of each step.
};

}  // namespace stepcast
