#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "models/collective/collective.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/event_queue.hpp"

namespace stepcast {

/// Carries out collectives in simulated time, at one fidelity.
class NetworkBackend {
 public:
  using Done = std::function<void()>;

  virtual ~NetworkBackend() = default;

  /// Starts `collective` on `group` after `delay`; calls `done` when it has finished everywhere.
  /// `group` must outlive the operation.
  virtual void start(const Collective& collective, const Group& group, Seconds delay,
                     Done done) = 0;
};

/// Throws InputError if the cluster cannot be built.
std::unique_ptr<NetworkBackend> make_network_backend(Fidelity fidelity, const Cluster& cluster,
                                                     EventQueue& queue);

}  // namespace stepcast
