#pragma once

#include <cstddef>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// What the Builder's passes of a cut model are of: for each part, and each unit, a layer for its
/// whole backward pass and one for each half.
class PassLayers {
 public:
  static LayerId of_part(std::size_t part, PassKind kind);
  static LayerId of_unit(const HybridJob& job, std::size_t unit, PassKind kind);

  /// The model with these layers in place of its own.
  static Workload workload(const HybridJob& job, const Workload& model);

  /// Returns Plan::recomputed.
  static std::vector<double> recomputed(const HybridJob& job);
};

}  // namespace stepcast
