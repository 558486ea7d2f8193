#pragma once

#include <string>

#include "traces/readers/import.hpp"

namespace stepcast {

/// What a trace holds as tables: facts, steps, time by category, collectives, overlap.
std::string render_trace(const TraceSummary& summary);

/// The same as JSON, with what was skipped or doubtful.
std::string trace_json(const TraceSummary& summary, const ImportReport& report);

}  // namespace stepcast
