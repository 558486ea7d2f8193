#pragma once

#include <csignal>
#include <string>

namespace stepcast {

/// The name of a file that is being written, known to remove_pending_files() for as long as the
/// object lives.
class PendingFile {
 public:
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

 private:
  int slot_ = -1;
};

/// Signals that end the process wait for as long as this lives: from the making of a file until its
/// name is known to remove_pending_files().
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

/// While one lives, the process may wait for somebody else to write to a pipe, or to read from it:
/// a signal ends it there.
class WaitForPipe {
 public:
  WaitForPipe();
  ~WaitForPipe();
  WaitForPipe(const WaitForPipe&) = delete;
  WaitForPipe& operator=(const WaitForPipe&) = delete;
};

bool waits_for_pipe() noexcept;

/// Removes what was being written, when a signal ends the process. Async-signal-safe.
void remove_pending_files() noexcept;

}  // namespace stepcast
