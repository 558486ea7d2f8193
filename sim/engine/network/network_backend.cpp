#include "sim/engine/network/network_backend.hpp"

#include "sim/engine/network/analytic_backend.hpp"
#include "sim/engine/network/flow_backend.hpp"
#include "sim/engine/network/step_backend.hpp"

namespace stepcast {

std::unique_ptr<NetworkBackend> make_network_backend(
    Fidelity fidelity, const Cluster& cluster, EventQueue& queue,
    const std::vector<std::uint32_t>& role_of_node) {
  switch (fidelity) {
    case Fidelity::Analytic:
      return std::make_unique<AnalyticBackend>(cluster, queue);
    case Fidelity::Flow:
      return std::make_unique<FlowBackend>(cluster, queue, FoldedNodes(cluster, role_of_node));
    case Fidelity::Step:
      return std::make_unique<StepBackend>(cluster, queue);
  }
  return nullptr;
}

}  // namespace stepcast
