#pragma once

#include <string>

#include "models/workload/workload.hpp"
#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

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
