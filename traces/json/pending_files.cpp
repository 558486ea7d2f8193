#include "traces/json/pending_files.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

#include <unistd.h>

namespace stepcast {
namespace {

// A handler may neither allocate nor lock: names lie in slots of fixed size, each taken and freed
// by one atomic exchange. A process writes one or two files at a time.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> named = false;
  std::array<char, PATH_MAX> path{};
};

std::array<Slot, 8> slots;

std::atomic<int> waits = 0;

}  // namespace

PendingFile::PendingFile(const std::string& path) {
  if (path.size() >= PATH_MAX)
    return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    if (slots[i].taken.exchange(true))
      continue;
    slot_ = static_cast<int>(i);
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].named = true;
  }
}

PendingFile::~PendingFile() {
  if (slot_ < 0)
    return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.named = false;
  slot.taken = false;
}

HeldSignals::HeldSignals() {
  sigset_t ending;
  ::sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM})
    ::sigaddset(&ending, signal);
  ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

WaitForPipe::WaitForPipe() {
  ++waits;
}

WaitForPipe::~WaitForPipe() {
  --waits;
}

bool waits_for_pipe() noexcept {
  return waits.load() > 0;
}

void remove_pending_files() noexcept {
  for (const Slot& slot : slots)
    if (slot.named)
      ::unlink(slot.path.data());
}

}  // namespace stepcast
