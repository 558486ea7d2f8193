#pragma once
// Densities at which TopKA2A moves as many bytes as another system. With n ranks, d elements, a
// selection of x bytes and a whole gradient of g bytes for each element, a rank receives
//
//   gathered selections    (n - 1) x d                all-gather of the selections of all others
//   TopKA2A                (n - 1) / n (x + 4) d      all-to-all of shards, all-gather of fp32 sums
//   whole gradients        (n - 1) / n 2 g d          ring all-reduce
//
// so that TopKA2A is ahead of gathering where x > 4 / (n - 1), and of whole gradients where
// x < 2 g - 4. Values and indices of 4 bytes, x = 8 rho, are its authors' conditions
// rho > 1 / (2 (n - 1)) and rho < 0.5 (Peng, Li, Shi, Li, TopKA2A, ICPP 2024).

#include <cstdint>

#include "models/schedule/sparse/settings.hpp"

namespace stepcast::sparse {

/// The density whose selection takes `per_element` bytes for each element of the whole gradient.
/// Not above 0 if any selection takes more; above 1 if every one takes less.
double density_of(const Encoding& encoding, Bytes per_element);

/// Above it TopKA2A moves fewer bytes than topk-allgather. At least 2 ranks.
double break_even_with_gathering(const Encoding& encoding, std::uint32_t ranks);

/// Below it TopKA2A moves fewer bytes than a ring all-reduce of gradients of `element` bytes.
double break_even_with_whole_gradients(const Encoding& encoding, Bytes element);

}  // namespace stepcast::sparse
