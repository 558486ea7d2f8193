#pragma once

#include <string>
#include <vector>

#include "traces/readers/kineto/layers/layer_times.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Gives a step that accumulates gradients over several passes the layers of its mean pass, and
/// counts the passes. A pass is what lies between two turns from the backward to the forward pass.
///
/// Passes are those of micro-batches if each does the same work as the last one, see
/// does_same_work(). The gradients are those of the last pass, behind which they are reduced. What
/// the training program computes behind the last backward pass (the norm of the gradients, an
/// update that no annotation marks) belongs to the update, unless it may be the forward pass of
/// another step. Steps whose passes differ (two models that are trained in turn) stay as they are,
/// and are counted as doubtful.
void join_passes(std::vector<StepLayers>& steps, const std::string& origin, ImportReport& report);

}  // namespace stepcast
