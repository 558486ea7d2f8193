#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/probe/hardware.hpp"

namespace stepcast {

/// Finds the GPUs when they are needed; see open_hardware().
using HardwareFinder = std::function<std::unique_ptr<Hardware>(std::optional<std::uint32_t>)>;

/// The whole program: results to stdout and files, errors as one line on stderr. Returns the exit
/// code: 0 ok, 1 a fault of ours, 2 wrong input or usage, 3 the machine lacks something.
int run_probe(std::span<const std::string> arguments, const HardwareFinder& find);

}  // namespace stepcast
