#include "sim/engine/network/network_backend.hpp"

#include "sim/engine/network/analytic_backend.hpp"
#include "sim/engine/network/flow_backend.hpp"
#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/network/step_backend.hpp"

namespace stepcast {

SimGrid* simgrid_for(Fidelity fidelity) {
  return fidelity == Fidelity::Analytic ? nullptr : &simgrid_module();
}

std::unique_ptr<NetworkBackend> make_network_backend(Fidelity fidelity, const Cluster& cluster,
                                                     EventQueue& queue, const Folding& folding,
                                                     bool ports_differ) {
  switch (fidelity) {
    case Fidelity::Analytic:
      return std::make_unique<AnalyticBackend>(cluster, queue);
    case Fidelity::Flow:
      return std::make_unique<FlowBackend>(cluster, queue, simgrid_module(),
                                           FoldedNodes(cluster, folding.role_of_node),
                                           folding.is_assumed, ports_differ);
    case Fidelity::Step:
      return std::make_unique<StepBackend>(cluster, queue, simgrid_module());
  }
  return nullptr;
}

}  // namespace stepcast
