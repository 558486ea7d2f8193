#pragma once

#include <malloc.h>

namespace stepcast {

/// Simulations give megabytes back and ask for them again: the system would have to clear them each
/// time, which takes a fifth of a study of K-FAC and a tenth of one large pipeline. For main().
inline void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace stepcast
