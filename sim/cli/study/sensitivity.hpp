#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_request.hpp"

namespace stepcast {

/// Inputs of which 1 % more or less moves the step of the scenario's schedule by more than 2 %: its
/// decisions (what a cycle takes, what is merged) are at an edge there. Each as a sentence.
///
/// Simulates four times more; not done where add_notes() does not simulate either, nor where an
/// iteration has more than 20,000 `runs` of a task on a class of ranks (KAISA on 64 GPUs).
std::vector<std::string> edges_of(const Scenario& scenario, const std::string& schedule,
                                  Seconds iteration_time, std::size_t runs);

}  // namespace stepcast
