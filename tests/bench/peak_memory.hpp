#pragma once

#include <sys/resource.h>

namespace stepcast {

/// The most memory that the process ever held.
inline double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace stepcast
