#include "traces/job/operation_types.hpp"

#include <algorithm>
#include <array>

#include "models/base/text.hpp"

namespace stepcast {
namespace {

// The names are those of the operations of ByteDance's published jobs (OSDI'25, "Understanding
// Stragglers in Large Model Training"), who read them off Megatron-LM.
const auto& known_types() {
  using enum OperationPeers;
  static const std::array<OperationType, 13> types = {{
      {"forward-compute", "forward-compute", JobWork::Forward},
      {"backward-compute", "backward-compute", JobWork::Backward},
      {.name = "optimizer", .kind = "optimizer", .updates = true},
      {"params-all-gather", "params-all-gather", JobWork::Transfer, DataGroup, true},
      {"grads-reduce-scatter", "grads-reduce-scatter", JobWork::Transfer, DataGroup, false, true},
      {"grads-all-reduce", "grads-all-reduce", JobWork::Transfer, DataGroup},
      {"layernorm-grads-all-reduce", "layernorm-grads-all-reduce", JobWork::Transfer},
      {"embedding-grads-all-reduce", "embedding-grads-all-reduce", JobWork::Transfer, OuterStages},
      {"optimizer-clip-main-grad", "optimizer-clip-main-grad", JobWork::Transfer, World},
      {"forward-send", "forward-pp-comm", JobWork::Transfer, NextSend},
      {"forward-recv", "forward-pp-comm", JobWork::Transfer, PreviousReceive},
      {"backward-send", "backward-pp-comm", JobWork::Transfer, PreviousSend},
      {"backward-recv", "backward-pp-comm", JobWork::Transfer, NextReceive},
  }};
  return types;
}

/// The known type of message that a name such as "recv-fwd" means; null: it does not say so.
const OperationType* message_called(std::string_view letters) {
  const bool sent = holds_any(letters, {"send"});
  const bool received = holds_any(letters, {"recv", "receive"});
  const bool forward = holds_any(letters, {"forward", "fwd", "activation"});
  const bool backward = holds_any(letters, {"backward", "bwd", "grad"});
  if (sent == received || forward == backward)
    return nullptr;
  const auto is_such = [&](const OperationType& type) {
    return is_message(type.peers) && sends(type.peers) == sent && is_forward(type.peers) == forward;
  };
  return &*std::ranges::find_if(known_types(), is_such);
}

}  // namespace

OperationType operation_type_of(std::string_view name) {
  const auto& types = known_types();
  const auto* const found = std::ranges::find(types, name, &OperationType::name);
  if (found != types.end())
    return *found;
  OperationType type{.name = std::string(name), .kind = std::string(name)};
  if (name == "gc") {
    type.marker = true;
    return type;
  }
  type.known = false;
  const std::string letters = letters_and_digits(name);
  type.gathers = holds_any(letters, {"allgather"});
  type.scatters = holds_any(letters, {"reducescatter"});
  if (type.gathers || type.scatters ||
      holds_any(letters, {"allreduce", "alltoall", "broadcast", "barrier"})) {
    type.work = JobWork::Transfer;
    type.peers = OperationPeers::DataGroup;
  } else if (const OperationType* message = message_called(letters)) {
    type.kind = message->kind;
    type.work = JobWork::Transfer;
    type.peers = message->peers;
  } else {
    type.updates = letters.starts_with("optimi");
    if (!holds_any(letters, {"compute", "forward", "backward", "fwd", "bwd", "optimi", "kernel"}))
      type.evidence = TypeEvidence::Nothing;
  }
  return type;
}

bool says_message(std::string_view name) {
  return holds_any(letters_and_digits(name), {"send", "recv", "receive"});
}

bool is_message(OperationPeers peers) {
  return peers >= OperationPeers::NextSend;
}

bool sends(OperationPeers peers) {
  return peers == OperationPeers::NextSend || peers == OperationPeers::PreviousSend;
}

JobPurpose purpose_of(const OperationType& type) {
  if (is_message(type.peers))
    return JobPurpose::Message;
  if (type.gathers)
    return JobPurpose::Parameters;
  if (type.peers == OperationPeers::OuterStages)
    return JobPurpose::Tied;
  return type.peers == OperationPeers::Nobody || type.peers == OperationPeers::Group
             ? JobPurpose::Other
             : JobPurpose::Sum;
}

bool is_forward(OperationPeers peers) {
  return peers == OperationPeers::NextSend || peers == OperationPeers::PreviousReceive;
}

}  // namespace stepcast
