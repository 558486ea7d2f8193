#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/readers/log_facts.hpp"
#include "traces/readers/nccl_tests/listed_ranks.hpp"
#include "traces/readers/nccl_tests/rank_range.hpp"

namespace stepcast {

/// What a run of nccl-tests says of itself, in text or JSON.
struct RunRecord {
  std::optional<CollectiveKind> named;  ///< By its program.
  bool has_redop = false;
  bool has_root = false;
  RankRange range;
  ListedRanks ranks;
};

/// Kind, ranks and nodes as far as the run tells; a list of ranks is checked against the bandwidths
/// and completed by them. Throws InputError that begins with `origin` if they contradict each other
/// or the user's layout.
LogFacts facts_of(const RunRecord& run, const BenchmarkHints& hints, const std::string& origin,
                  ImportReport& report);

}  // namespace stepcast
