#include "sim/study/calibration.hpp"

#include <utility>

#include "models/collective/collective.hpp"
#include "models/collective/curve_fit.hpp"
#include "sim/forecast/network_notes.hpp"

namespace stepcast {
namespace {

/// The same points as the cluster predicts them.
std::vector<PointError> predicted_by(const Cluster& cluster, std::vector<PointError> errors) {
  for (PointError& error : errors) {
    Cluster part = cluster;
    part.nodes = error.nodes;
    part.gpus_per_node = error.ranks / error.nodes;
    const Collective collective{.kind = error.kind,
                                .algorithm = default_algorithm(error.kind),
                                .size = error.measured.size};
    const Group world = world_of(part);
    error.predicted = launch_of(collective, world, part) + cost_of(collective, world, part);
  }
  return errors;
}

}  // namespace

Calibration calibrate(MeasuredCollectives measured, const Cluster* cluster,
                      const std::function<void()>& predicted) {
  fit_curves(measured);
  Calibration calibration{.measured = std::move(measured)};
  calibration.left_out = leave_one_rank_count_out(calibration.measured, predicted);
  calibration.fit = errors_of_fit(calibration.measured);
  if (cluster) {
    calibration.now = predicted_by(*cluster, calibration.fit);
    if (std::optional<Note> costs = note_on_costs(*cluster))
      calibration.notes.push_back(std::move(*costs));
  }
  return calibration;
}

}  // namespace stepcast
