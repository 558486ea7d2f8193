#include "sim/engine/interruption.hpp"

#include <atomic>

namespace stepcast {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void interrupt() noexcept {
  asked.store(true, std::memory_order_relaxed);
}

void forget_interruption() noexcept {
  asked.store(false, std::memory_order_relaxed);
}

void check_interruption() {
  if (asked.load(std::memory_order_relaxed))
    throw Interrupted();
}

}  // namespace stepcast
