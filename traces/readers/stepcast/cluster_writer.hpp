#pragma once

#include <string>
#include <string_view>

#include "models/network/cluster.hpp"
#include "traces/readers/stepcast/cluster_fields.hpp"

namespace stepcast {

/// The cluster as a file that read_cluster() reads back. Costs that it does not give are left out,
/// and so are fields that say nothing: memory of an unknown size, one adapter a node, no racks.
std::string to_json_text(const Cluster& cluster);

/// Whether a field that is rarely given is nothing here.
bool is_unset(const Cluster& cluster, const ClusterField& field);

/// A field as files and `--set` write it: "50GBps", "2.98us", "16GiB", "8".
std::string field_text(const Cluster& cluster, std::string_view path);

}  // namespace stepcast
