#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// An end of a collective on one host's clock.
struct EndSeen {
  std::uint32_t host = 0;
  double end = 0;  ///< Seconds since its step began.
  double begin = 0;
};

/// A collective that ended on several hosts, or a message that was sent and received.
struct CommonEnd {
  std::uint32_t step = 0;
  std::uint16_t kind = 0;
  bool message = false;
  std::vector<EndSeen> seen;
};

/// Host `after` cannot be further ahead of host `before` than `most` seconds: what ended there
/// ended after something had begun here.
struct ClockBound {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  double most = 0;
  std::uint32_t step = 0;
  double at = 0;  ///< Since it began.
  bool message = false;
};

/// A host's first work of a step.
struct HostStart {
  double begin = INFINITY;  ///< Seconds since the step began, on the host's clock; infinite: none.
  std::uint16_t kind = 0;
};

/// All that a job's meetings say about its hosts' clocks.
struct ClockEvidence {
  std::uint32_t hosts = 0;
  std::size_t kinds = 0;
  std::vector<double> begins;       ///< By step: JobStep::begin, in seconds.
  std::vector<CommonEnd> ends;      ///< Of collectives.
  std::vector<CommonEnd> messages;  ///< Between hosts.
  std::vector<ClockBound> bounds;
  std::vector<std::vector<HostStart>> starts;  ///< By step and host.
  std::vector<std::uint32_t> stages;           ///< By host: the first one of its ranks.
};

/// Which clock a rank's times are of: its host's or, once that jumped, what became of it. Those of
/// hosts come first.
class RankClocks {
 public:
  /// `host_of`: by rank.
  RankClocks(std::vector<std::uint32_t> host_of, std::uint32_t hosts)
      : host_of_(std::move(host_of)), count_(hosts) {}

  /// From this step on the host has another clock. Steps ascend.
  void begin_anew(std::uint32_t host, std::uint32_t step) {
    jumps_.push_back({host, step, count_++});
  }
  std::uint32_t of(std::uint32_t rank, std::uint32_t step) const {
    std::uint32_t clock = host_of_[rank];
    for (const Jump& jump : jumps_)
      if (jump.host == host_of_[rank] && jump.step <= step)
        clock = jump.clock;
    return clock;
  }
  std::uint32_t count() const { return count_; }

 private:
  struct Jump {
    std::uint32_t host = 0;
    std::uint32_t step = 0;
    std::uint32_t clock = 0;
  };
  std::vector<std::uint32_t> host_of_;
  std::uint32_t count_ = 0;
  std::vector<Jump> jumps_;
};

ClockEvidence clock_evidence(const Job& job, const RankClocks& clocks);

}  // namespace stepcast
