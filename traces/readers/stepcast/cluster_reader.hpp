#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/network/cluster.hpp"

namespace stepcast {

/// Reads a cluster file (`"format": "stepcast-cluster"`, version 1) strictly. Units are written in
/// strings: "10Gbps", "14.5us", "25MiB". Throws InputError naming file and field.
/// Measured collectives come with their name only; load_cluster() reads them too.
Cluster read_cluster(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
Cluster parse_cluster(std::string_view text, const std::string& origin);

}  // namespace stepcast
