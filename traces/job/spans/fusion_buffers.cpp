#include "traces/job/spans/fusion_buffers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {
namespace {

bool is_copy(const OperationPhase& phase) {
  return phase.name.starts_with("MEMCPY_IN") || phase.name.starts_with("MEMCPY_OUT");
}

/// Of a library: NCCL_ALLREDUCE, MPI_ALLREDUCE, GLOO_ALLREDUCE.
bool moves(const OperationPhase& phase, const std::string& operation) {
  return !is_copy(phase) && phase.name.ends_with("_" + operation);
}

OperationPhase main_phase(const Negotiation& of) {
  for (const OperationPhase& phase : of.phases)
    if (moves(phase, of.operation))
      return phase;
  return {of.operation, of.begin, of.end};
}

/// From the first tensor's begin to the last one's end.
void add_phase(const OperationPhase& phase, FusionBuffer& buffer) {
  const auto found = std::ranges::find(buffer.phases, phase.name, &OperationPhase::name);
  if (found == buffer.phases.end()) {
    buffer.phases.push_back(phase);
    return;
  }
  found->begin = std::min(found->begin, phase.begin);
  found->end = std::max(found->end, phase.end);
}

void finish(FusionBuffer& buffer) {
  const Negotiation& first = buffer.tensors.front();
  const std::size_t more = buffer.tensors.size() - 1;
  buffer.name = more == 0 ? first.tensor : fmt::format("{} and {} more", first.tensor, more);
  bool sized = true;
  for (const Negotiation& tensor : buffer.tensors) {
    buffer.size += tensor.size;
    sized = sized && tensor.size > Bytes{};
    for (const OperationPhase& phase : tensor.phases)
      if (is_copy(phase))
        add_phase(phase, buffer);
    add_phase(main_phase(tensor), buffer);
  }
  buffer.size = sized ? buffer.size : Bytes{};
  std::ranges::stable_sort(buffer.phases, {}, &OperationPhase::begin);
  const std::string main = main_phase(first).name;
  buffer.main = static_cast<std::size_t>(
      std::ranges::find(buffer.phases, main, &OperationPhase::name) - buffer.phases.begin());
  for (std::size_t i = 1; i < buffer.phases.size(); ++i)  // Tensors' own ends differ a little.
    buffer.phases[i].begin = std::max(buffer.phases[i].begin, buffer.phases[i - 1].end);
  for (OperationPhase& phase : buffer.phases)
    phase.end = std::max(phase.begin, phase.end);
}

}  // namespace

std::vector<FusionBuffer> fusion_buffers(std::vector<Negotiation> negotiations) {
  std::ranges::stable_sort(negotiations, {},
                           [](const Negotiation& of) { return main_phase(of).begin; });
  std::vector<FusionBuffer> buffers;
  Seconds end{};
  for (Negotiation& of : negotiations) {
    const OperationPhase main = main_phase(of);
    const bool joins = !buffers.empty() && !of.phases.empty() && main.begin < end &&
                       buffers.back().tensors.front().count == of.count;
    end = joins ? std::max(end, main.end) : main.end;
    if (!joins)
      buffers.emplace_back();
    buffers.back().tensors.push_back(std::move(of));
  }
  for (FusionBuffer& buffer : buffers)
    finish(buffer);
  return buffers;
}

}  // namespace stepcast
