#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"
#include "traces/settings.hpp"

namespace stepcast::fuzz {

/// Larger clusters and plans are slow to simulate, not wrong.
inline constexpr std::uint32_t kMostRanks = 16;
inline constexpr std::size_t kMostTasks = 20'000;

std::vector<std::string> lines_of(std::string_view text);

/// Six layers of a real network with all its costs, so that every schedule can run.
const Workload& small_workload();
/// Two nodes of two GPUs.
const Cluster& small_cluster();

/// Throws InputError for settings that name files (other targets' affair), ask for a search or for
/// a large cluster.
void require_small(const Settings& settings);

}  // namespace stepcast::fuzz
