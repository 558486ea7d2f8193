#pragma once

#include <string>

#include "traces/formats/import.hpp"
#include "traces/formats/rank_comparison.hpp"

namespace stepcast {

/// What a trace holds as tables: facts, steps, time by category, collectives, overlap.
std::string render_trace(const TraceSummary& summary);

/// The same as JSON, with what was skipped or doubtful, how many ranks' traces were given, and how
/// the rank stands beside the others of its job; null: it was not compared.
std::string trace_json(const TraceSummary& summary, const ImportReport& report,
                       std::size_t ranks_given, const RankTiming* timing = nullptr);

/// The ranks of a job as a table: clock offset, step, who waits for whom, stragglers; or why they
/// cannot be compared.
std::string render_ranks(const RankComparison& comparison);

}  // namespace stepcast
