#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/job/job.hpp"

namespace stepcast {

/// With whom an operation of a training job meets.
enum class OperationPeers : std::uint8_t {
  Nobody,       ///< Or only ranks that are not recorded (tensor parallelism).
  DataGroup,    ///< All ranks of its stage.
  OuterStages,  ///< First and last stage of its pipeline, which share the embedding.
  World,
  NextSend,  ///< Messages, by where the other rank stands in the pipeline.
  NextReceive,
  PreviousSend,
  PreviousReceive,
};

/// A type of operation as recorded jobs name it.
struct OperationType {
  std::string name;
  std::string kind;  ///< Send and receive are one kind.
  JobWork work = JobWork::Compute;
  OperationPeers peers = OperationPeers::Nobody;
  bool gathers = false;   ///< Brings parameters, for which forward passes wait.
  bool scatters = false;  ///< Leaves each rank its part of a sum.
  bool updates = false;   ///< Computation of the optimiser.
  bool marker = false;    ///< Takes no time and stands for no work.
  bool known = true;
};

/// Unknown ones are collectives of the data-parallel group if their name says so ("..-all-reduce"),
/// else computation: of the optimiser, if their name begins with it.
OperationType operation_type_of(std::string_view name);

bool is_message(OperationPeers peers);
JobPurpose purpose_of(const OperationType& type);
bool sends(OperationPeers peers);       ///< Of messages.
bool is_forward(OperationPeers peers);  ///< Of messages: along the forward pass.

}  // namespace stepcast
