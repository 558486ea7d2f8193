#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// What a log says of itself.
struct LogFacts {
  std::optional<CollectiveKind> kind;    ///< By the program's name or title, or the columns alone.
  std::vector<CollectiveKind> possible;  ///< As far as columns tell; empty: they do not.
  std::uint32_t ranks = 0;               ///< 0: it does not say.
  std::uint32_t nodes = 0;               ///< 0: it does not say.
};

/// The kind: what the log says, else what the user says, else what the file's name says. Another
/// word of the user than the log's is a doubt. Throws InputError, beginning with `origin`, if
/// nobody says, or the user says what the columns exclude.
CollectiveKind kind_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                           const std::string& origin, ImportReport& report);

struct LogLayout {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
};

/// Ranks and nodes: what the log says, else what the user says; 0 if nobody does. Another word of
/// the user than the log's is a doubt. Throws InputError if the log says ranks but not nodes, and
/// the user speaks of another number of ranks.
LogLayout layout_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                        const std::string& origin, ImportReport& report);

/// " (2 skipped: row with a negative number (first at line 9))" for the end of a message that
/// nothing is left; empty if nothing was skipped.
std::string reasons_in(const ImportReport& report);

}  // namespace stepcast
