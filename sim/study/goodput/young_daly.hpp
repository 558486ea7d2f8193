#pragma once

#include "models/base/units.hpp"

namespace stepcast {

/// A job that saves its state and goes back to it after a fault.
struct CheckpointCosts {
  Seconds checkpoint{};   ///< The job stands still for so long.
  Seconds restart{};      ///< From a fault until it computes again.
  Seconds persist{};      ///< Until a checkpoint can be gone back to, beside the work; 0: at once.
  Seconds reconfigure{};  ///< Going on with another number of nodes, without a restart.
};

/// The work between checkpoints that loses least (Daly, FGCS 2006, equation 37):
/// sqrt(2 d M) [1 + (d / 2M)^(1/2) / 3 + (d / 2M) / 9] - d for d < 2M, else M.
Seconds daly_interval(Seconds checkpoint, Seconds mtbf);

/// Share of the time that is work that stays done, for exponential faults, also while restarting
/// (the same, equation 20): tau / (M e^(R/M) (e^((tau + d)/M) - 1)).
double daly_efficiency(Seconds interval, const CheckpointCosts& costs, Seconds mtbf);

}  // namespace stepcast
