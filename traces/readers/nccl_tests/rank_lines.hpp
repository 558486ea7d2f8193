#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/readers/log_text.hpp"
#include "traces/readers/nccl_tests/listed_ranks.hpp"

namespace stepcast {

/// The lines on ranks that nccl-tests prints before its table, without their "#":
/// "# nThread 1 nGpus 8 minBytes ..." and
/// "#   Rank  0 Group  0 Pid 42 on  host device  0 [0000:3d:00] Tesla V100".
class RankLines {
 public:
  RankLines(const std::string& origin, ImportReport& report) : origin_(origin), report_(report) {}

  /// Takes a line if it is one of them. Throws InputError for a rank that comes again: two runs.
  void take(const std::vector<std::string_view>& words, const LogLine& line);

  const ListedRanks& ranks() const { return ranks_; }
  const std::string& device() const { return device_; }

 private:
  const std::string& origin_;
  ImportReport& report_;
  ListedRanks ranks_;
  std::string device_;
};

}  // namespace stepcast
