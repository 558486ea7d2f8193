#pragma once

#include <cstdint>
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

  /// What the path has before its dot: "nic", or nothing.
  std::string_view section() const {
    const std::size_t dot = path.find('.');
    return std::string_view(path).substr(0, dot == std::string::npos ? 0 : dot);
  }
  bool is_rate() const { return std::holds_alternative<BytesPerSecond& (*)(Cluster&)>(member); }
};

/// Every field, in the order of the file. The file reader and `--set cluster.<path>=value` share
/// this table, so neither knows a field that the other does not.
const std::vector<ClusterField>& cluster_fields();

/// Sets the field at `path` from text, as `--set` does. Throws InputError (without the path) for an
/// unknown path, naming the nearest, or a value out of range. A cost is then given.
void set_cluster_field(Cluster& cluster, std::string_view path, std::string_view value);

/// The field at a path; throws like set_cluster_field() for an unknown one.
const ClusterField& cluster_field(std::string_view path);

/// What single fields cannot say: throws InputError if the cluster has more than 2^20 GPUs.
void check_cluster(const Cluster& cluster);

}  // namespace stepcast
