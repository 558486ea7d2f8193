#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "models/base/error.hpp"

namespace stepcast::fuzz {

/// Ends the process, in every build, if a promise of a reader is broken.
inline void require(bool holds, const char* promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

inline bool finite_and_not_negative(double value) {
  return std::isfinite(value) && value >= 0;
}

/// Calls `read`. False if it refuses its input with an InputError, whose message must be one line.
template <class Read>
bool accepts(Read read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    require(!message.empty() && message.find('\n') == message.npos, "an error is one line");
    return false;
  }
}

}  // namespace stepcast::fuzz
