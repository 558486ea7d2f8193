#pragma once

#include <string_view>
#include <vector>

#include "models/base/fields.hpp"
#include "models/base/units.hpp"

namespace stepcast {

/// The training step if one kind of cost took no time, everything else as planned.
///
/// - compute: every task of the device but messages on its compute stream.
/// - network: every collective and message, with latency, launch and the time that its software
///   adds; messages inside layers too.
/// - host: work of the host (gaps of a profile, hooks, launches of kernels where the cluster gives
///   them, the input pipeline), launches of collectives and Horovod's negotiation. Horovod's cycle
///   stays: it decides what is fused.
/// - bubble: of a pipeline the longest step among its stages without the time that the stage waits
///   while others compute (warm-up, drain, imbalance). With one stage it is the step.
///
/// Times overlap, so that savings add up to more or less than the step. None is below zero: where
/// the order of messages is decided at run time a shorter task can lengthen a step (Graham, 1969),
/// and then the step itself stands.
struct StepWithout {
  Seconds no_compute{};
  Seconds no_network{};
  Seconds no_host{};
  Seconds no_bubble{};

  bool is_known() const { return no_bubble > Seconds{}; }
};

auto fields_of(Is<StepWithout> auto& what_if) {
  auto& [no_compute, no_network, no_host, no_bubble] = what_if;
  return std::tie(no_compute, no_network, no_host, no_bubble);
}

/// What a step saves without a kind of cost.
struct Saving {
  std::string_view of;  ///< "compute", "network", "host", "pipeline bubble"
  double share = 0;     ///< Of the step.
};

/// The savings, largest first: the first of them is the bottleneck. Precondition: is_known().
std::vector<Saving> savings_of(const StepWithout& what_if, Seconds step);

}  // namespace stepcast
