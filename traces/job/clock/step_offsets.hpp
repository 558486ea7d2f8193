#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/job/clock/clock_evidence.hpp"

namespace stepcast {

/// Offset of a host's clock in a step against the first host of its part.
struct StepOffset {
  double at = 0;  ///< Seconds since the first step began.
  double ahead = 0;
};

/// The offsets that each step tells by itself, from its common ends. Cost: a fit for each step.
class StepOffsets {
 public:
  explicit StepOffsets(const ClockEvidence& evidence);

  std::size_t steps() const { return times_.size(); }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(offsets_.size()); }
  double time_of(std::size_t step) const { return times_[step]; }
  /// The first host of its part in most steps. Other steps tell nothing of it.
  std::uint32_t first_of(std::uint32_t host) const { return first_[host]; }
  /// Of steps `first` to before `end`.
  std::vector<StepOffset> of(std::uint32_t host, std::size_t first, std::size_t end) const;

 private:
  void add(const ClockEvidence& evidence, std::uint32_t step);

  std::vector<double> times_;                       // By step.
  std::vector<std::vector<double>> offsets_;        // By host and step; not a number: not known.
  std::vector<std::vector<std::uint32_t>> firsts_;  // The same: the first host of its part.
  std::vector<std::uint32_t> first_;
};

/// The standard deviation of offsets from a line, by what each is off the line of its neighbours:
/// few jumps do not move the median. Infinite for less than five.
double scatter_of(const std::vector<StepOffset>& offsets);

}  // namespace stepcast
