#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// A piece of an operation: "MEMCPY_IN_FUSION_BUFFER", "NCCL_ALLREDUCE".
struct OperationPhase {
  std::string name;
  Seconds begin{};
  Seconds end{};
};

/// A tensor that Horovod's ranks agreed on, and its operation.
struct Negotiation {
  std::string tensor;
  std::string operation;                   ///< "ALLREDUCE".
  std::uint32_t count = 0;                 ///< The how many-th of its tensor.
  std::map<std::uint32_t, Seconds> ready;  ///< By rank, when it was ready for the tensor.
  Seconds begin{};                         ///< Of the operation.
  Seconds end{};
  std::vector<OperationPhase> phases;  ///< Within it, in order.
  Bytes size{};                        ///< 0: not known.
};

struct NegotiationRecord {
  std::vector<Negotiation> done;  ///< In order of their operations' ends.
  std::vector<Negotiation> open;  ///< Whose operations have no end, or no begin.
};

/// The negotiations of a timeline. What has no end, or ends before a rank is ready, is counted.
/// Throws InputError.
NegotiationRecord read_negotiations(const TraceStream& file, ImportReport& report);

/// Which rank was ready last in the median over the tensors, and by how much behind the first one:
/// "rank 7 was ready last, 548 ms behind rank 4 in the median of 85 tensors"; empty: of no tensor
/// two ranks are known.
std::string last_to_be_ready(const NegotiationRecord& record);

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
