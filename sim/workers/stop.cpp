#include "sim/workers/stop.hpp"

#include <array>
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

#include "traces/json/pending_files.hpp"

namespace stepcast {
namespace {

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

constexpr char kTimeIsUp[] = "stepcast: out of time\n";
constexpr int kOutOfTime = 3;

volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t studies = 0;
volatile std::sig_atomic_t handles = 0;

// A process that waits for a pipe which nobody writes to would never look at what it was asked.
void on_signal(int signal) {
  if (studies > 0 && asked == 0 && !waits_for_pipe()) {
    asked = signal;
    return;
  }
  remove_pending_files();
  if (exit_code_of(signal) == kOutOfTime &&
      ::write(STDERR_FILENO, kTimeIsUp, sizeof kTimeIsUp - 1) < 0)
    signal = SIGALRM;  // nobody to tell
  ::_exit(exit_code_of(signal));
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // poll() comes back nevertheless
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

int exit_code_of(int signal) noexcept {
  return signal == SIGALRM || signal == SIGXCPU ? kOutOfTime : 128 + signal;
}

std::string stop_in_words() {
  return exit_code_of(asked) == kOutOfTime ? "out of time" : "stopped by a signal";
}

void handle_signals() noexcept {
  handles = 1;
  for (const int signal : kEnding) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN)  // nohup, or a shell's job in the background
      set_handler(signal, on_signal);
  }
  set_handler(SIGXCPU, on_signal);  // ulimit -t
  set_handler(SIGPIPE, SIG_IGN);
  set_handler(SIGXFSZ, SIG_IGN);  // ulimit -f: the file cannot be written, as on a full disk
}

void end_after_alarm() noexcept {
  set_handler(SIGALRM, on_signal);
}

StopsBetweenJobs::StopsBetweenJobs() {
  if (studies == 0)
    asked = 0;
  studies = studies + 1;
}

StopsBetweenJobs::~StopsBetweenJobs() {
  studies = studies - 1;
}

void processor_time_is_up() noexcept {
  if (handles != 0)
    on_signal(SIGXCPU);
  else
    ask_to_stop(SIGXCPU);
}

int stop_signal() noexcept {
  return asked;
}

void ask_to_stop(int signal) noexcept {
  if (studies > 0)
    asked = signal;
}

void handle_signals_of_worker() noexcept {
  handles = 0;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_handler(SIGINT, SIG_IGN);
  set_handler(SIGHUP, SIG_IGN);
  set_handler(SIGQUIT, SIG_IGN);
  set_handler(SIGTERM, SIG_DFL);
  set_handler(SIGXCPU, SIG_DFL);
}

}  // namespace stepcast
