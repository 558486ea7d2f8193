#pragma once

#include <cstdint>
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
};

/// All that a job's meetings say about its hosts' clocks.
struct ClockEvidence {
  std::uint32_t hosts = 0;
  std::size_t kinds = 0;
  std::vector<double> begins;       ///< By step: JobStep::begin, in seconds.
  std::vector<CommonEnd> ends;      ///< Of collectives.
  std::vector<CommonEnd> messages;  ///< Between hosts.
  std::vector<ClockBound> bounds;
};

/// `host_of`: by rank.
ClockEvidence clock_evidence(const Job& job, const std::vector<std::uint32_t>& host_of,
                             std::uint32_t hosts);

}  // namespace stepcast
