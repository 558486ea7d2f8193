#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/network/cluster.hpp"
#include "traces/readers/stepcast/cluster_fields.hpp"

namespace stepcast {

/// Reads a cluster file (`"format": "stepcast-cluster"`, version 1) strictly. Units are written in
/// strings: "10Gbps", "14.5us", "25MiB". Throws InputError naming file and field.
/// Measured collectives come with their name only; load_cluster() reads them too.
Cluster read_cluster(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
Cluster parse_cluster(std::string_view text, const std::string& origin);

/// The cluster as a file that read_cluster() reads back. Costs that it does not give are left out,
/// and so are fields that say nothing: memory of an unknown size, one adapter a node, no racks.
std::string to_json_text(const Cluster& cluster);

/// Whether a field that is rarely given is nothing here.
bool is_unset(const Cluster& cluster, const ClusterField& field);

/// A field as files and `--set` write it: "50GBps", "2.98us", "16GiB", "8".
std::string field_text(const Cluster& cluster, std::string_view path);

}  // namespace stepcast
