#pragma once

#include "models/base/provenance.hpp"
#include "models/workload/workload.hpp"
#include "traces/readers/pipedream/graph_file.hpp"
#include "traces/readers/pipedream/profile_batch.hpp"

namespace stepcast {

/// Whether a node stands for the data loader: "Input", "Input0", ...
bool is_input(const GraphNode& node);

/// Method and caveats of an imported profile; the source is left to the caller.
Provenance profile_provenance(const GraphFile& file, const Workload& workload,
                              const ProfileBatch& batch);

}  // namespace stepcast
