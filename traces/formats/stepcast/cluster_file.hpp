#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast {

/// Whether a cluster file must have a field.
enum class Presence {
  Required,   ///< Always.
  InSection,  ///< Where its section (the part of the path before the dot) is present.
  Optional,
  Rare,  ///< Optional, and left out of what is written where it is nothing.
};

/// What a field says.
enum class FieldTopic : std::uint8_t {
  Else,
  Size,  ///< How many GPUs there are.
  Link,  ///< What messages meet: curves measured on other links do not hold.
};

/// One field of a cluster: its path in the file, and where it lies in the struct. The type of the
/// member decides how the value is written ("10Gbps", "2us", "25MiB", a number, a string).
struct ClusterField {
  using Member =
      std::variant<std::string& (*)(Cluster&), std::uint32_t& (*)(Cluster&), double& (*)(Cluster&),
                   Seconds& (*)(Cluster&), Bytes& (*)(Cluster&), BytesPerSecond& (*)(Cluster&)>;
  std::string path;  ///< "nic.bandwidth"; at most one dot.
  Member member;
  Presence presence = Presence::Optional;
  std::uint32_t least = 0;  ///< Smallest value of a count or number.
  bool is_cost = false;     ///< Nothing is paid where a file leaves it out, and reports say so.
  FieldTopic topic = FieldTopic::Else;

  /// What the path has before its dot: "nic", or nothing.
  std::string_view section() const {
    const std::size_t dot = path.find('.');
    return std::string_view(path).substr(0, dot == std::string::npos ? 0 : dot);
  }
  bool is_rate() const { return std::holds_alternative<BytesPerSecond& (*)(Cluster&)>(member); }
};

/// What `--set cluster.` takes beside the fields: a file of measured curves.
inline constexpr std::string_view kCollectivesSetting = "collectives";

/// Every field, in the order of the file. The file reader and `--set cluster.<path>=value` share
/// this table, so neither knows a field that the other does not.
const std::vector<ClusterField>& cluster_fields();

/// Sets the field at `path` from text, as `--set` does. Throws InputError (without the path) for an
/// unknown path, naming the nearest, or a value out of range. A cost is then given.
void set_cluster_field(Cluster& cluster, std::string_view path, std::string_view value);

/// The field at a path; throws like set_cluster_field() for an unknown one.
const ClusterField& cluster_field(std::string_view path);

/// Whether a file may leave out the whole section: a field of it is no use without the others.
bool is_in_optional_section(const ClusterField& field);

/// What single fields cannot say: throws InputError if the cluster has more than 2^20 GPUs.
void check_cluster(const Cluster& cluster);

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
