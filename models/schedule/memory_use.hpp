#pragma once

#include "models/base/fields.hpp"
#include "models/base/units.hpp"

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

auto fields_of(Is<MemoryUse> auto& use) {
  auto& [parameters, gradients, optimiser, activations, fusion, communication, factors, inverses,
         kept_by_hooks, preconditioned, residuals, known] = use;
  return std::tie(parameters, gradients, optimiser, activations, fusion, communication, factors,
                  inverses, kept_by_hooks, preconditioned, residuals, known);
}

}  // namespace stepcast
