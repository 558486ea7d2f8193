#pragma once

#include <vector>

#include "sim/cli/page_file.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// Prints the results of a study, as a table or JSON, and writes its page; returns the rows. Prints
/// nothing where there are none. Throws InputError where every combination was refused.
std::vector<SweepRow> print_study(const Sweep& sweep, const std::vector<SweepResult>& results,
                                  bool json, const PageFile& page);

/// What a command that has printed such results ends with: 1 if a worker died at one of them.
int exit_code_of(const std::vector<SweepResult>& results);

}  // namespace stepcast
