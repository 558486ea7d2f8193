#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// With whom an operation of a training job meets.
enum class OperationPeers : std::uint8_t {
  Nobody,       ///< Or only ranks that are not recorded (tensor parallelism).
  DataGroup,    ///< All ranks of its stage.
  Group,        ///< Those that the type's groups join.
  OuterStages,  ///< First and last stage of its pipeline, which share the embedding.
  World,
  NextSend,  ///< Messages, by where the other rank stands in the pipeline.
  NextReceive,
  PreviousSend,
  PreviousReceive,
};

/// What tells the work of an operation and with whom it meets.
enum class TypeEvidence : std::uint8_t {
  Name,
  Times,    ///< Ends over the ranks, see tell_types_by_times().
  Nothing,  ///< It is a guess.
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
  TypeEvidence evidence = TypeEvidence::Name;
  std::vector<std::uint32_t> groups{};  ///< By rank (into Job::ranks), of OperationPeers::Group.
};

/// Unknown ones are collectives of the data-parallel group if their name says so ("..-all-reduce",
/// "ncclAllGather"), messages if it says send or receive and which pass, else computation: of the
/// optimiser, if their name begins with it. Whether the name tells is the evidence.
OperationType operation_type_of(std::string_view name);

/// Whether a name says that it sends or receives, of whichever pass.
bool says_message(std::string_view name);

bool is_message(OperationPeers peers);
JobPurpose purpose_of(const OperationType& type);
bool sends(OperationPeers peers);       ///< Of messages.
bool is_forward(OperationPeers peers);  ///< Of messages: along the forward pass.

}  // namespace stepcast
