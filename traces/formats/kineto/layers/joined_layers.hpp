#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/kineto/layers/layer_times.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// Places of the same layer in two lists, ascending.
using LayerMatches = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns the layers that two lists have in common, by kind and in their order; nothing where the
/// lists differ in thousands of layers.
std::optional<LayerMatches> matches_of(const std::vector<LayerTimes>& one,
                                       const std::vector<LayerTimes>& other);

/// Whether what either list lacks of the other, whole layers or their forward or backward pass, is
/// at most a tenth of its computation.
bool does_same_work(const std::vector<LayerTimes>& one, const std::vector<LayerTimes>& other);

/// Gives steps that do the same work the same layers, and leaves out and counts those that do
/// other work than most (more than half), or, where there is no such majority, than the largest
/// number that are alike.
///
/// Layers are joined by kind, in their order: names number the layers of a kind through, so that
/// one that a step has beside the others' (a loss that is logged now and then) renames all behind
/// it. What a step lacks takes no time in it. Two steps do the same work if what one of them lacks,
/// whole layers or their forward or backward pass, is at most a tenth of the computation of
/// either. Gradients are those that most of the joined steps have.
void join_layers(std::vector<StepLayers>& steps, ImportReport& report);

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
