#pragma once

#include "sim/study/edits/step_search.hpp"
#include "sim/study/scenario.hpp"

namespace stepcast {

/// The scenario with those options of its schedule under which the step is shortest: the sizes in
/// which gradients travel (partitions, buckets, buffers) and the order in which servers take them
/// (by priority: P3). None of them changes what is trained; those that the user gave stay as they
/// are. Adds what it accepts to `result`, and fills it from step_before on.
///
/// One option after the other takes every power of two from 64 KiB to 64 MiB, or its other word,
/// and keeps the best; it ends when a round over all gains less than 0.1 %. So a round costs 11
/// simulations for each size. `memory`: what a GPU may hold; 0: no matter. Compressed gradients,
/// whose buckets change what is sent, keep their options.
Scenario with_best_options(const Scenario& scenario, const std::string& schedule, Bytes memory,
                           EditedStep& result);

}  // namespace stepcast
