#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traces/readers/log_facts.hpp"
#include "traces/readers/log_text.hpp"

namespace stepcast {

/// The ranks that nccl-tests lists at its begin:
/// "#   Rank  0 Pid 42 on  host device  0 [0x3d] Tesla V100".
class RankLines {
 public:
  RankLines(const std::string& origin, ImportReport& report) : origin_(origin), report_(report) {}

  /// Takes a line if it is one of them. Throws InputError for a rank that comes again: two runs.
  void take(const std::vector<std::string_view>& words, const LogLine& line);

  /// Ranks and nodes. Nodes stay 0 if two ranks use one device of a host: then nodes share a name.
  /// Throws InputError if the nodes have not equally many ranks.
  void describe(LogFacts& facts) const;

  const std::string& device() const { return device_; }

 private:
  const std::string& origin_;
  ImportReport& report_;
  std::set<std::string, std::less<>> ranks_;
  std::map<std::string, std::uint32_t, std::less<>> hosts_;  ///< Ranks by host.
  std::set<std::pair<std::string, std::string>> devices_;
  std::string device_;
  bool hosts_share_names_ = false;
};

}  // namespace stepcast
