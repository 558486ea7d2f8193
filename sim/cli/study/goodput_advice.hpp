#pragma once

#include "sim/study/goodput/goodput_study.hpp"

namespace stepcast {

/// Adds warnings that name options: that nobody said how many nodes the job has, and what would
/// help a job that waits for nodes.
void add_advice(GoodputAnswer& answer);

}  // namespace stepcast
