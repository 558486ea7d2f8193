#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/run_request.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// A request in which a comparison may list several values, as typed.
struct SweepOptions {
  RunRequest run;  ///< The rest of it: experiment, fidelity, unfold.
  CommaList workloads;
  CommaList clusters;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> gpus_per_node;
  std::vector<std::string> settings;  ///< "key=value" or "key=value,value,...".
};

/// The options that fill it.
std::vector<CommandOption> options_of(SweepOptions& typed, CommandOption schedules);

/// What is to be swept: whatever was typed is an axis. `example` as of require_job(). Throws
/// InputError.
SweepRequest request_of(const SweepOptions& typed, const std::string& example);

}  // namespace stepcast
