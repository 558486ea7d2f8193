#pragma once

#include <string>

#include "models/schedule/plan.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Device memory of one GPU that trains, by what it holds.
struct MemoryUse {
  Bytes parameters{};
  Bytes gradients{};
  Bytes optimiser{};
  Bytes activations{};            ///< Outputs of all layers for one mini-batch, kept for backward.
  Bytes fusion_buffers{};         ///< Copies in which gradients or parameters travel together.
  Bytes communication_buffers{};  ///< Of the communication library.
  // Second order, for the rank that holds most:
  Bytes factors{};                ///< Running averages of the Kronecker factors it constructs.
  Bytes inverses{};               ///< Those it computes or receives.
  Bytes kept_by_hooks{};          ///< Gradients of layer outputs until G is made of them.
  Bytes preconditioned{};         ///< Preconditioned gradients, until the update.
  Bytes residuals{};              ///< What compressed gradients left out so far: error feedback.
  bool activations_known = true;  ///< False: the trace does not say for some layer; 0 is counted.

  Bytes second_order() const { return factors + inverses + kept_by_hooks + preconditioned; }

  Bytes total() const {
    return parameters + gradients + optimiser + activations + fusion_buffers +
           communication_buffers + second_order() + residuals;
  }
};

/// The option that every schedule has: none, sgd (momentum), adam.
OptionInfo optimiser_option();

/// Throws InputError if the option `optimiser` has another value.
void check_optimiser(const std::string& schedule, const ScheduleOptions& options);

/// Every rank holds all parameters, gradients and optimiser state, but for what zero shards.
/// Optimiser state is fp32: one value a parameter for sgd, two for adam; 16-bit parameters have a
/// 32-bit master copy beside it. Compressed gradients keep an fp32 residual for every parameter
/// (error feedback) and buffers for what a step receives. Workspaces, the framework's own memory
/// and fragmentation are not counted, so this is what a run needs at least. `options` are those in
/// force.
MemoryUse memory_of(const Plan& plan, const Workload& workload, const Cluster& cluster,
                    const ScheduleOptions& options);

}  // namespace stepcast
