#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/chrome_json/chrome_events.hpp"

namespace stepcast {

struct KinetoCollective;

/// The ranks of a group, ascending; empty: not known.
using GroupRanks = std::vector<std::uint32_t>;

/// The groups of ranks that the head of a trace lists by name ("distributedInfo/pg_config").
class ProcessGroups {
 public:
  /// Takes a property of the trace if it is part of the list: a group's name, then its ranks.
  void take(const std::string& path, const ChromeArgument& value);

  /// The ranks by this name; empty if it is not in the list.
  GroupRanks ranks_of(const std::string& name) const;

 private:
  std::map<std::string, GroupRanks> by_name_;
  std::string name_;  // Of the group whose ranks come next.
};

/// Not negative, not huge: -1 stands for none.
bool is_count(std::optional<double> number);

/// A number that is a count, else 0.
std::uint64_t count_of(std::optional<double> number);

/// What an event's arguments tell of its collective.
KinetoCollective noted_collective(const ChromeEvent& event);

}  // namespace stepcast
