#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "traces/job/clock/clock_evidence.hpp"
#include "traces/job/clock/step_offsets.hpp"

namespace stepcast {

/// A host's clock that is set anew: in a step, or between it and the step before.
struct ClockJump {
  std::uint32_t host = 0;
  std::uint32_t step = 0;
  bool within = false;      ///< What was recorded in the step contradicts itself.
  std::uint32_t other = 0;  ///< A host whose clock it contradicts.
  double seconds = 0;       ///< At least by so much.
};

/// The jumps that bounds tell: of two hosts whatever both took part in allows a range of offsets.
/// A clock jumped where the ranges of a step, or of a step and the one before, share none, by more
/// than clocks drift; of many pairs of hosts the clock that most of them share. Steps count through
/// or each from zero. By step.
std::vector<ClockJump> clock_jumps(const ClockEvidence& evidence);

/// The jumps that common ends tell, between steps: smaller ones than bounds allow, and those behind
/// a pause of the recording, during which a clock may drift by far more.
///
/// Where the offsets of up to 16 steps before and as many behind lie on two lines of one slope
/// (Theil's, within the sides), the clock jumped if these are apart by more than a millisecond, by
/// more than crystals wander (2 ppm of the pause), and by five standard errors, of which that of
/// the slope grows with the pause. Three steps on either side tell that it did, and of these the
/// lines that fit best since when: one step alone at an end is no jump. Of many hosts
/// most are taken not to have jumped, and none has that messages with such a one do not let jump:
/// some ranks end collectives earlier than others, and may begin or cease to.
/// `known` jumps part the steps, and no line crosses them. By step.
std::vector<ClockJump> jumps_of_offsets(const StepOffsets& offsets, const ClockEvidence& evidence,
                                        const std::vector<ClockJump>& known);

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
