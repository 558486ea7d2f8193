#pragma once

#include <cstdint>
#include <vector>

#include "models/base/index.hpp"

namespace stepcast {

/// Returns the index of an item that nobody uses: one of `idle`, from which it is taken, or a new
/// one at the end of `pool`. Who no longer uses an item appends its index to `idle`. Throws
/// InputError where there are too many of `what` for 32 bits.
template <class Pool>
std::uint32_t take_slot(Pool& pool, std::vector<std::uint32_t>& idle, const char* what) {
  if (idle.empty()) {
    idle.push_back(checked_id(pool.size(), what));
    pool.emplace_back();
  }
  const std::uint32_t slot = idle.back();
  idle.pop_back();
  return slot;
}

}  // namespace stepcast
