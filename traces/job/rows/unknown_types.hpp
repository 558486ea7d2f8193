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

/// Decides of each operation whose name is not known whether it is computation, a collective or a
/// message, and of which ranks: sets work, peers, groups and evidence of its type. Rows are those
/// of leave_out_odd_rows().
///
/// What ranks do together ends together, however late each of them came. So of each type the spread
/// of the ends over the ranks is compared with the spread of the begins. Clocks of hosts may be
/// apart, which moves both alike: the same is compared of how much begins and ends moved since the
/// step before, to which a constant offset adds nothing. Computation that began late ends late, so
/// that its ends lie as far apart as its begins, or further.
void tell_types_by_times(const RowsByStep& rows, const std::vector<JobRank>& ranks,
                         std::vector<OperationType>& types);

}  // namespace stepcast
