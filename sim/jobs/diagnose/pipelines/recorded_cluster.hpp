#pragma once

#include "models/network/cluster.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// The cluster that the job file names (recorded_on), with as many GPUs as the job has. Throws
/// InputError for one that is not known, or whose nodes these GPUs do not fill.
Cluster recorded_cluster(const Job& job);

}  // namespace stepcast
