#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/cli/study/part_file.hpp"
#include "sim/study/sweep/sweep.hpp"
#include "traces/json/spooled_text.hpp"

namespace stepcast {

/// How a study is done piece by piece, none of which is held when the next is begun: what it takes
/// of memory does not grow with the number of its combinations.
struct PieceRules {
  std::uint32_t workers = 1;
  bool keep_going = false;
  /// Refuses pieces that make no sense, before they are run.
  std::function<void(const Sweep& piece)> check = [](const Sweep&) {};
};

/// What a study done in pieces comes to.
struct PiecedStudy {
  SpooledText text{};
  bool died = false;          ///< A worker, at one of the combinations.
  std::uint32_t missing = 0;  ///< Combinations that a signal came before.
  std::uint32_t whole = 0;
};

/// What print_study() would print as JSON; empty if a signal came before the first forecast.
/// Throws InputError where every combination was refused, and as sweep_results() does.
PiecedStudy study_json_in_pieces(SweepRequest request, const PieceRules& rules);

/// A shard as text for `merge` (see part_file.hpp); not whole if a signal stopped it.
PiecedStudy part_in_pieces(SweepRequest request, const Shard& shard, const PieceRules& rules);

}  // namespace stepcast
