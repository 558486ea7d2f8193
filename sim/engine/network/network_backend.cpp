#include "sim/engine/network/network_backend.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text.hpp"
#include "sim/engine/network/analytic_backend.hpp"
#include "sim/engine/network/fair_links.hpp"
#include "sim/engine/network/flow_backend.hpp"
#include "sim/engine/network/step_backend.hpp"

namespace stepcast {

void check_size(const Message& message) {
  if (!(message.size <= kLargestMessage))
    throw InputError(
        fmt::format("a message of {}, all rounds between two GPUs and what slows it down included: "
                    "expected at most {}; `fidelity` analytic takes any",
                    format_bytes(message.size), format_bytes(kLargestMessage)));
}

Seconds message_startup(const Collective& collective, const Group& group, const Cluster& cluster) {
  const std::vector<Phase> phases = edge_flows_of(collective, group, cluster);
  return phases.empty() ? Seconds{} : phases.front().startup;
}

std::unique_ptr<NetworkBackend> make_network_backend(Fidelity fidelity, const Cluster& cluster,
                                                     EventQueue& queue, const Folding& folding,
                                                     bool ports_differ) {
  switch (fidelity) {
    case Fidelity::Analytic:
      return std::make_unique<AnalyticBackend>(cluster, queue, folding.is_assumed);
    case Fidelity::Flow:
      return std::make_unique<FlowBackend>(cluster, queue, FoldedNodes(cluster, folding),
                                           folding.is_assumed, ports_differ);
    case Fidelity::Step:
      return std::make_unique<StepBackend>(cluster, queue,
                                           std::make_unique<FairLinks>(cluster, queue));
  }
  return nullptr;
}

std::unique_ptr<NetworkBackend> make_near_network(const Cluster& cluster, EventQueue& queue) {
  return std::make_unique<FlowBackend>(cluster, queue,
                                       std::make_unique<FairLinks>(cluster, queue, Reach::Near));
}

}  // namespace stepcast
