#pragma once

#include <filesystem>
#include <string>

#include "models/network/slow_down.hpp"

namespace stepcast {

/// Recorded slow-downs: a CSV file with columns step, rank and factor (a rank's compute in a step
/// over its mean), a row for every rank of every step, ranks from 0 on; of a pipeline a column
/// stage, too, the rank's. The first comment says where they were measured. Throws InputError
/// naming file and line.
SlowDown::Recorded read_slow_downs(const std::filesystem::path& file);

/// The text of such a file.
std::string to_csv(const SlowDown::Recorded& recorded);

/// By name (traces/slow_downs/NAME.csv), or by path: whatever holds a '/' or ends in ".csv". Throws
/// InputError naming the nearest for an unknown name, and as read_slow_downs().
SlowDown::Recorded load_slow_downs(const std::string& name);

}  // namespace stepcast
