#pragma once

#include <functional>
#include <span>

#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// Curves that are alike but for the rank count, what they have in common, and the ranks asked for.
struct CurveQuestion {
  const CurveFit& fit;
  std::uint32_t ranks = 2;
  std::span<const CollectiveCurve* const> curves;
};

/// What `law` says, made possible: no time above that of a larger size, and no bus bandwidth above
/// the best measured.
///
/// How it works. Both are made to hold at the sizes of the measured points (equal size, and equal
/// chunk) and lie log-log between them, so that they hold everywhere; beyond the last the time
/// grows at the bandwidth of the ring. A larger size shows what the network can do with a smaller
/// one, and disturbance only ever adds: so the lower of two times that contradict each other
/// stands.
Seconds possible_time(const CurveQuestion& question, Bytes size,
                      const std::function<Seconds(Bytes)>& law);

/// Of a ring step on bytes beyond those measured: as fitted, but never above the best measured.
BytesPerSecond ring_bandwidth(const CurveFit& fit);

}  // namespace stepcast
