#pragma once

#include <string>
#include <string_view>

#include "models/network/cluster.hpp"

namespace stepcast {

/// The cluster as a file that read_cluster() reads back. Costs that it does not give are left out,
/// and so are fields that say nothing: memory of an unknown size, one adapter a node, no racks.
std::string to_json_text(const Cluster& cluster);

/// A field as files and `--set` write it: "50GBps", "2.98us", "16GiB", "8".
std::string field_text(const Cluster& cluster, std::string_view path);

}  // namespace stepcast
