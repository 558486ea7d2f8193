#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/workload/workload.hpp"
#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/kineto/layers/layer_times.hpp"

namespace stepcast {

/// What size_gradients() returns if every gradient's shape was known.
inline constexpr std::string_view kRecordedShapes = "recorded shapes";

/// Gives the gradients of each step their sizes, from the first of these that the trace holds: the
/// shapes that PyTorch recorded, unless they are those of shards, less than is reduced; the copies
/// out of DistributedDataParallel's buckets, which are as many as the gradients and in their order;
/// the reductions of the backward pass, one as a single gradient of the layer whose backward pass
/// came last before it; those behind it, of the first layer; the all-gathers of parameters in the
/// forward pass, each as one gradient of the layer that computes next. Returns which it was, for
/// the provenance; empty if sizes stay unknown (all gradients are then removed). Bytes become
/// elements of the type that gradient_type_of() finds.
std::string size_gradients(const KinetoTrace& trace, const KinetoView& view,
                           std::vector<StepLayers>& steps);

/// Gives gradients without a recorded shape that of an execution trace, which must hold all of the
/// step's: joined by PyTorch's numbers of the calls, else by order if the execution trace holds the
/// same sequence of the step's length once or several times. Steps that fit neither, and recorded
/// shapes that differ, are counted as doubtful. Returns how it was done, for the provenance; empty
/// if nothing was missing or nothing fits.
std::string supply_shapes(const std::vector<TraceSupplement>& supplements,
                          std::vector<StepLayers>& steps, ImportReport& report);

/// What one element of the gradients is, as they are communicated.
struct GradientType {
  DataType type = DataType::Float32;
  bool recorded = false;  ///< Else fp32 is an assumption.
  bool reduced = false;   ///< Whether the trace holds a reduction that could have told it.
  bool several = false;   ///< Reductions of other types too; `type` has the most bytes.
};

/// By the arguments of the reductions in steps, else by their kernels' names ("..._Sum_bf16_...").
/// Those that another thread than the training thread launched, as a backward pass does, come
/// before others. Eight-bit floats count as the type of one byte that workloads know.
GradientType gradient_type_of(const KinetoTrace& trace, const KinetoView& view);

/// Counts what is not sure about the type.
void count_doubts(const GradientType& type, const std::string& origin, ImportReport& report);

}  // namespace stepcast
