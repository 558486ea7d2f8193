#pragma once

#include <string>
#include <vector>

#include "traces/job/rows/odd_rows.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Decides what the operations are whose names are not known, see tell_types_by_times(), and
/// reports each decision once: as inferred where the name or the times tell, or where the type
/// takes less than 1 % of all time, and as doubtful where it is a guess that a verdict could hang
/// on. Returns the names of the doubtful types. `first_seen` holds of each type where its first row
/// stands.
std::vector<std::string> tell_unknown_types(RowsByStep& rows, const std::vector<JobRank>& ranks,
                                            std::vector<OperationType>& types,
                                            const std::vector<std::string>& first_seen,
                                            ImportReport& report);

}  // namespace stepcast
