#pragma once

#include "traces/replay/replay_plan.hpp"

namespace stepcast {

/// Whether the change leaves out a task: a collective that costs nothing. One whose kind was not
/// recorded is left out with all kinds.
bool is_removed(const RecordedTask& task, const WhatIf& change);

/// Whether the cluster's network is to tell how long a task takes. A group of one rank communicates
/// with nobody: it takes what was recorded.
bool is_predicted(const RecordedTask& task, const WhatIf& change);

/// Throws InputError, beginning with the step's name, if a collective is to be predicted that was
/// recorded without its kind or size, that is a point-to-point transfer (whose peer is not known),
/// or that a part of the job's ranks ran (which of them is not known).
void refuse_unpredictable(const RecordedStep& step, const WhatIf& change);

}  // namespace stepcast
