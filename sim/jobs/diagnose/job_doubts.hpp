#pragma once

#include <string>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// Why all that a diagnosis says is doubtful, for its first line. `error` is the replay's, see
/// doubt_of_replay(), of whose InputError this throws. Doubts are also more than a hundredth of the
/// operations lost, restored or not, ranks without passes that others have, clocks that contradict
/// each other in most steps or that nothing joins, ranks that never wait for the others, and
/// profiles that were recorded a minute apart.
std::vector<std::string> doubts_of(const Job& job, double error);

}  // namespace stepcast
