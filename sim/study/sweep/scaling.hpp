#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/forecast/shared_notes.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// A size of the clusters.
struct ScalingSize {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;

  std::uint32_t gpus() const { return nodes * gpus_per_node; }
  bool operator==(const ScalingSize&) const = default;
};

/// Step times of one schedule on one cluster, by size of the cluster.
struct ScalingCurve {
  std::string cluster;
  std::string schedule;
  std::vector<Seconds> steps{};
  std::vector<Seconds> lows{};  ///< Where each is likely to lie: see Forecast; 0: not looked up.
  std::vector<Seconds> highs{};
  std::vector<std::string> bases{};  ///< By which cases; empty where they are not known.
};

/// One step time, which may be told before the others are there.
struct ScalingPoint {
  std::string cluster;
  std::string schedule;
  ScalingSize size;
  Seconds step{};
  Seconds low{};
  Seconds high{};
};

/// How schedules scale with the number of GPUs, on one or more networks.
struct Scaling {
  std::string workload;
  Fidelity fidelity = Fidelity::Flow;
  std::vector<ScalingSize> sizes;    ///< Of all clusters, one for each step of a curve.
  std::vector<ScalingCurve> curves;  ///< By cluster, then by schedule; shorter if cut short.
  SharedNotes notes{};
};

/// The sweep of a scaling: `request` with an axis "nodes" of the sizes given; without any, of 1, 2,
/// 4, 8 and 16 those that all clusters have. Throws InputError as plan_sweep() does, and where no
/// axis is "gpus_per_node" and the clusters' nodes hold unequal numbers of GPUs, as a size stands
/// for one number of GPUs.
Sweep plan_scaling(SweepRequest request, std::vector<std::uint32_t> nodes);

/// Forecasts every combination of it. `came`: called with each as soon as it is there, and its
/// number. When a signal asks to stop, the curves end where the first size lacks a schedule.
Scaling find_scaling(const Sweep& sweep, StudyRules rules,
                     const std::function<void(std::uint32_t, const ScalingPoint&)>& came = {});

}  // namespace stepcast
