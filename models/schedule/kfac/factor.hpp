#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/workload/workload.hpp"

namespace stepcast::kfac {

/// One Kronecker factor of a layer.
struct Factor {
  LayerId layer = 0;
  std::string name;  ///< "conv1 (A)"
  std::uint32_t side = 0;
  Seconds construction{};
  Seconds inversion{};
  Seconds packing{};    ///< Of the factor or its inverse, before it is sent.
  Seconds unpacking{};  ///< After it has been received.
  Bytes size{};         ///< Packed triangle.
};

/// A and G of each layer that has factors, in forward order. Throws InputError if none has.
std::vector<Factor> factors_of(const std::string& schedule, const Workload& workload,
                               const KfacCosts& costs);

}  // namespace stepcast::kfac
