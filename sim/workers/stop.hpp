#pragma once

#include <stdexcept>
#include <string>

namespace stepcast {

/// A signal ended a study before it was done.
class Stopped : public std::runtime_error {
 public:
  explicit Stopped(int signal) : std::runtime_error("stopped by a signal"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// What the process ends with after a signal: 3 after SIGALRM and SIGXCPU, which say that its time
/// is up, else 128 + signal.
int exit_code_of(int signal) noexcept;

/// From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove what is half written and end
/// the process at once with exit_code_of(signal), without the destructors of a simulation that
/// runs; and a write to a closed pipe or past `ulimit -f` is an error like others. For the process,
/// once, at its begin.
void handle_signals() noexcept;

/// While one lives, the first of these signals only asks to stop: the study looks at stop_signal()
/// between its jobs, and prints what it has. The second ends the process.
class StopsBetweenJobs {
 public:
  StopsBetweenJobs();
  ~StopsBetweenJobs();
  StopsBetweenJobs(const StopsBetweenJobs&) = delete;
  StopsBetweenJobs& operator=(const StopsBetweenJobs&) = delete;
};

/// SIGALRM, as a timer sends it, ends the process or asks the study to stop in the same way.
void end_after_alarm() noexcept;

/// The signal that asked to stop; 0: none did.
int stop_signal() noexcept;

/// Why a study stopped: "stopped by a signal", or "out of time".
std::string stop_in_words();

/// What a handler of the caller's does at a signal where handle_signals() was not called: a study
/// that runs stops between its jobs. May be called by a signal handler.
void ask_to_stop(int signal) noexcept;

/// A child of this process was ended by the limit of processor time: what SIGXCPU to this process
/// would do, where handle_signals() was called; else a study that runs is asked to stop.
void processor_time_is_up() noexcept;

/// For a forked worker: Ctrl-C is its parent's affair, SIGTERM ends it, and so does the end of its
/// parent, however that comes.
void handle_signals_of_worker() noexcept;

}  // namespace stepcast
