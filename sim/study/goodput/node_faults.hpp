#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A node is down from `begin` until `end`, or its link keeps a share of its bandwidth.
struct Outage {
  std::uint32_t node = 0;
  Seconds begin{};
  Seconds end{};
  double link_share = 0;  ///< 0: the node is down.
};

/// Nodes that fail and come back, each by itself: exponential up times, of which some nodes have
/// shorter ones than others, and log-normal repairs.
struct NodeFaults {
  Seconds mtbf{};            ///< Of a node, on average over nodes.
  double frailty_shape = 0;  ///< Rates are gamma-distributed over nodes; 0: all the same.
  Seconds median_repair{};   ///< 0: a node is replaced at once.
  double repair_sigma = 0;
};

/// The outages of `nodes` nodes in a time of `length`, by begin. Every node has draws of its own: a
/// node more leaves those of the others alone.
std::vector<Outage> draw_outages(const NodeFaults& faults, std::uint32_t nodes, Seconds length,
                                 std::uint64_t seed);

/// The mean of the repairs.
Seconds mean_repair(const NodeFaults& faults);

/// Recorded outages of a fleet.
struct RecordedFleet {
  std::uint32_t servers = 1;    ///< With those that never failed.
  Seconds length{};             ///< Of the record.
  std::vector<Outage> outages;  ///< By begin.
};

/// The outages of `nodes` servers drawn without replacement, numbered from 0. Precondition: the
/// fleet has as many.
std::vector<Outage> sample_outages(const RecordedFleet& fleet, std::uint32_t nodes,
                                   std::uint64_t seed);

/// Renewals with frailty, fitted to a record by moments: the variance of faults by server over
/// their mean gives the shape, logarithms of the repairs median and sigma.
NodeFaults fitted_to(const RecordedFleet& fleet);

/// In which numbers of faults the next time of the same length lies with 90 %.
struct FaultBand {
  double low = 0;
  double high = 0;
};
struct FaultOutlook {
  double faults = 0;  ///< Recorded.
  double dispersion =
      1;              ///< Variance over mean of the faults in a sixth of the record; 1: Poisson.
  FaultBand poisson;  ///< A constant rate, not known better than by the record.
  FaultBand bursts;   ///< A level of each sixth by itself, gamma-distributed.
  bool trust_bursts = false;  ///< Sixths differ more than a constant rate lets them (5 %).
};
FaultOutlook outlook_of(const RecordedFleet& fleet);

}  // namespace stepcast
