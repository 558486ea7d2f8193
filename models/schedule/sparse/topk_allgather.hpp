#pragma once

#include "models/schedule/sparse/step.hpp"

namespace stepcast::sparse {

/// Every rank gathers the selections of all ranks and adds them up: all-gathers of the values and
/// of the indices, k n of each.
TaskId gather_and_add(Step& step, const Tensor& tensor, TaskId ready);

}  // namespace stepcast::sparse
