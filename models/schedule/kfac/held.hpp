#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/schedule/kfac/factor.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast::kfac {

/// Which matrices (factors or their inverses) each rank keeps: fp32 and whole, as they are packed
/// only to travel.
class Holdings {
 public:
  /// One matrix for each of `factors`, which must outlive this.
  Holdings(std::uint32_t ranks, std::span<const Factor> factors);

  /// `ranks` that keep the matrix of a factor; none: all do.
  void add(std::span<const Rank> ranks, std::size_t factor);
  /// Of the rank that keeps most.
  Bytes most() const;

 private:
  std::span<const Factor> factors_;
  std::vector<bool> everywhere_;                     // by factor
  std::vector<std::vector<std::size_t>> elsewhere_;  // factors by rank, some more than once
};

/// When the factors are made of what hooks see.
enum class Construction { None, WithinPasses, AfterPasses };

/// Adds what hooks and preconditioning keep beside the matrices; nothing without factors. Where G
/// is made after the backward pass, hooks keep the gradients of all layer outputs until then, else
/// of one layer; the inputs, of which A is made, are counted as activations already.
void hold_beside_matrices(MemoryUse& use, const Workload& workload, Construction construction);

}  // namespace stepcast::kfac
