#pragma once

#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// Notes inputs of which 1 % more or less moves the step by more than 2 %: the decisions of the
/// schedule (what a cycle takes, what is merged) are at an edge there.
///
/// Simulates four times more; not done where add_notes() does not simulate either, where an
/// iteration has more than 20,000 runs of a task on a class of ranks (KAISA on 64 GPUs), and where
/// chance moves the step anyway.
void add_edges(ScheduleRun& run, const Scenario& scenario);

/// Whether what is communicated together depends on when it is ready, so that edges are likely.
bool decides_in_cycles(const Plan& plan);

}  // namespace stepcast
