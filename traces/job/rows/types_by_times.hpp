#pragma once

#include <vector>

#include "traces/job/rows/odd_rows.hpp"

namespace stepcast {

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
