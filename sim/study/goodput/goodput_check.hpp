#pragma once

#include "sim/study/goodput/goodput.hpp"

namespace stepcast {

/// Throws InputError as find_goodput() does.
void check_goodput(const GoodputRequest& request);

Seconds length_of(const GoodputRequest& request);

/// Between faults that stop the job: as given, or as record or sources have it for its nodes.
Seconds mtbf_of(const GoodputRequest& request);

}  // namespace stepcast
