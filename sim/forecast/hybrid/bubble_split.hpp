#pragma once

#include <string>
#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/timeline/breakdown.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// Why a stage of a pipeline does not compute, in a step.
struct BubbleSplit {
  Seconds warm_up{};     ///< Other stages have yet to make its first inputs: before its first
                         ///< backward pass.
  Seconds drain{};       ///< Other stages have passes left: after its last forward pass.
  Seconds imbalance{};   ///< In between: a stage beside it is slower, or out of step.
  Seconds messages{};    ///< What it waits for is made and on its way from another stage.
  Seconds exchange{};    ///< Gradients, their norm and parameters among copies of the stage.
  Seconds stragglers{};  ///< Of all these what is there only because of slow-downs.

  Seconds total() const { return warm_up + drain + imbalance + messages + exchange + stragglers; }
};

auto fields_of(Is<BubbleSplit> auto& split) {
  auto& [warm_up, drain, imbalance, messages, exchange, stragglers] = split;
  return std::tie(warm_up, drain, imbalance, messages, exchange, stragglers);
}

/// The same by name, in the order above: "warm_up", ..
std::vector<NamedTime> named(const BubbleSplit& split);

/// Tasks of the compute stream, by rank, in plan order.
std::vector<std::vector<TaskId>> compute_tasks_of(const Plan& plan, const std::vector<Rank>& ranks);

/// Of the stages whose ranks are given, in a step of a plan that hybrid_plan() made. Every gap of
/// the compute stream is cut at two moments of the communication that it ends with: until its data
/// are there another stage works (warm-up, drain or imbalance, by the passes before and behind the
/// gap), then they travel (messages from stages, exchange of copies). Linear in tasks.
std::vector<BubbleSplit> split_bubbles(const Plan& plan, const Timeline& timeline,
                                       const std::vector<Rank>& stages);

/// What of `with` is more than without slow-downs becomes `stragglers`.
BubbleSplit with_stragglers(const BubbleSplit& with, const BubbleSplit& without);

/// The same shares of another sum; 0 stays 0.
BubbleSplit scaled_to(BubbleSplit split, Seconds total);

}  // namespace stepcast
