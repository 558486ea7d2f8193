#pragma once

#include <string>
#include <vector>

#include "traces/job/spans/negotiations.hpp"

namespace stepcast {

/// Tensors that travel together.
struct FusionBuffer {
  std::vector<Negotiation> tensors;
  std::string name;                    ///< "grad.0", "grad.0 and 3 more".
  std::vector<OperationPhase> phases;  ///< Copies and the operation itself, in order.
  std::size_t main = 0;                ///< The phase that moves data between ranks.
  Bytes size{};                        ///< 0: not known of all.
};

/// Of negotiations in any order the buffers in order of their begins: tensors are in one if the
/// phases that move their data overlap. Tensors without phases are alone and their operation is the
/// phase. Tensors of different steps share none.
std::vector<FusionBuffer> fusion_buffers(std::vector<Negotiation> negotiations);

}  // namespace stepcast
