#pragma once

#include <optional>
#include <string>

#include "sim/study/goodput/node_faults.hpp"

namespace stepcast {

/// Reads recorded faults: a CSV file with columns start_day, end_day and server (numbers from 0),
/// in any order beside others; lines that begin with '#' are comments. `servers`: of the fleet,
/// with those that never failed (default: as many as are named); `days`: of the record (default:
/// until the last fault). Throws InputError that names file, line and column.
RecordedFleet read_fleet(const std::string& path, std::optional<std::uint32_t> servers,
                         std::optional<double> days);

}  // namespace stepcast
