#include "traces/job/operation_types.hpp"

#include <algorithm>
#include <array>

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

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
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
  type.gathers = has(name, "all-gather");
  type.scatters = has(name, "reduce-scatter");
  if (type.gathers || type.scatters || has(name, "all-reduce")) {
    type.work = JobWork::Transfer;
    type.peers = OperationPeers::DataGroup;
  } else {
    type.updates = name.starts_with("optimi");
  }
  return type;
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
  return type.peers == OperationPeers::Nobody ? JobPurpose::Other : JobPurpose::Sum;
}

bool is_forward(OperationPeers peers) {
  return peers == OperationPeers::NextSend || peers == OperationPeers::PreviousReceive;
}

}  // namespace stepcast
