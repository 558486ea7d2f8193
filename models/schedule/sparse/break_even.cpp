#include "models/schedule/sparse/break_even.hpp"

#include "models/schedule/sparse/step.hpp"

namespace stepcast::sparse {

double density_of(const Encoding& encoding, Bytes per_element) {
  const Bytes fixed = size_of_indices(encoding, 0, 1);  // of a bitmap
  const Bytes entry = size_of_values(encoding, 1) + size_of_indices(encoding, 1, 1) - fixed;
  return (per_element - fixed) / entry;
}

double break_even_with_gathering(const Encoding& encoding, std::uint32_t ranks) {
  return density_of(encoding, dense_size(1) / (ranks - 1));
}

double break_even_with_whole_gradients(const Encoding& encoding, Bytes element) {
  return density_of(encoding, element * 2 - dense_size(1));
}

}  // namespace stepcast::sparse
