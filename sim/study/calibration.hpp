#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/note.hpp"
#include "models/collective/curve_errors.hpp"
#include "models/network/cluster.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// A link as a point-to-point benchmark saw it.
struct CalibratedLink {
  std::string source;          ///< "ib_write_bw, ib.log"
  BytesPerSecond bandwidth{};  ///< 0: not measured.
  Seconds latency{};           ///< 0: not measured.
};

/// What `stepcast calibrate` has to say.
struct Calibration {
  MeasuredCollectives measured;  ///< Fitted; without curves if only links were measured.
  std::vector<CalibratedLink> links;
  std::vector<PointError> left_out;  ///< Each curve predicted from the others.
  std::vector<PointError> fit;       ///< The alpha-beta line of all curves.
  std::vector<PointError> now;       ///< What the given cluster predicts; empty without one.
  Notes notes;                       ///< Costs that this cluster does not give.
};

/// Fits the curves and predicts them; `cluster` may be null. Predictions of the cluster use its own
/// curves, or closed forms and its launch cost. `predicted`: see leave_one_rank_count_out().
Calibration calibrate(MeasuredCollectives measured, const Cluster* cluster,
                      const std::function<void()>& predicted = {});

}  // namespace stepcast
