#pragma once

#include <vector>

#include "models/base/units.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"

namespace stepcast {

/// Times of one micro-batch in one part of the model.
struct PartTimes {
  Seconds forward{};
  Seconds input_gradient{};
  Seconds weight_gradient{};
  Seconds recomputed{};  ///< The part of `input_gradient` that repeats the forward pass.
};

/// Of one pass of a part.
Seconds time_of(PassKind kind, const PartTimes& times);

/// When each pass of an order begins and ends.
struct WalkedOrder {
  struct Span {
    Seconds begin{};
    Seconds end{};
  };
  std::vector<std::vector<Span>> ranks;  ///< As the order's passes.
  Seconds makespan{};
};

/// Walks an order: a pass begins when the one before it on its rank has ended and its input has
/// come, `message` after the end of the pass that made it (free between parts on one rank). Paired
/// passes begin when both inputs are there and end together, after the sum of their times. Linear
/// in the passes. Throws InputError naming the passes of a cycle.
WalkedOrder walk(const PipelineOrder& order, const std::vector<PartTimes>& parts,
                 Seconds message = {});

}  // namespace stepcast
