#pragma once

#include <filesystem>
#include <vector>

#include "traces/job/rank_timeline.hpp"

namespace stepcast {

/// The timelines of the ranks in an export of Nsight Systems ("nsys export --type=sqlite"): one for
/// each device of each process, in order of devices. Kernels and copies are of the step (an NVTX
/// range such as "step 12", "iteration_12" or "ProfilerStep#12") in which they were launched, and
/// of the pass whose NVTX range ("forward", "backward", "optimizer") held their launch; where no
/// ranges name passes, kernels are told by their names. NCCL's kernels are collectives of unknown
/// size. Without ranges that name steps all is one step. Throws InputError naming the file, and
/// the table or column that is missing.
std::vector<RankTimeline> read_nsight_export(const std::filesystem::path& path,
                                             ImportReport& report);

}  // namespace stepcast
