#include "sim/engine/process/simulation_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/interruption.hpp"
#include "sim/engine/repeats.hpp"
#include "sim/workers/processor_time.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr int kPatience = 100;  // ms: an interruption may come between the look at it and the wait

/// How the simulation went, the first byte of what the child sends.
enum class Ending : char {
  Result,
  InputFault,
  DifferentSteps,
  SimulationFault,
  NoMemory,
  RefutedFolding,
  OtherFault,
};

/// The child has closed its pipe too early.
struct PipeClosed {};

thread_local SimulationProcess* current = nullptr;

/// The parent decides about signals: what reaches all processes of a terminal must not end the
/// simulation of a study that wants to finish its job. The child ends with its parent in any case.
bool become_child_of(pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == parent;
}

void write_all(int pipe, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(pipe, data, size);
    if (written < 0 && errno != EINTR)
      ::_exit(1);  // nobody reads any more
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    data += done;
    size -= done;
  }
}

std::pair<Ending, std::string> told(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& error) {
    return {Ending::InputFault, error.what()};
  } catch (const StepsDiffer& error) {
    return {Ending::DifferentSteps, error.what()};
  } catch (const SimulationError& error) {
    return {Ending::SimulationFault, error.what()};
  } catch (const std::bad_alloc&) {
    return {Ending::NoMemory, {}};
  } catch (const FoldingRefuted&) {
    return {Ending::RefutedFolding, {}};
  } catch (const std::exception& error) {
    return {Ending::OtherFault, error.what()};
  } catch (...) {  // nothing may leave the child by another way than its end
    return {Ending::OtherFault, "an unknown failure"};
  }
}

struct End {
  int status = 0;
  rusage used{};
};

/// How the child ended; a status of 0 if somebody else has waited for it. A handler of a signal may
/// interrupt the wait (Python's do), which must leave no child running.
End end_of(pid_t child) {
  End end;
  while (::wait4(child, &end.status, 0, &end.used) < 0 && errno == EINTR) {
  }
  return end;
}

/// Signals that a terminal or a batch system sends to the parent as well.
bool reaches_parent(int signal) {
  constexpr std::array kShared{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  return std::ranges::find(kShared, signal) != kShared.end();
}

void throw_as_told(Ending ending, const std::string& text) {
  switch (ending) {
    case Ending::Result:
      return;
    case Ending::InputFault:
      throw InputError(text);
    case Ending::DifferentSteps:
      throw StepsDiffer(text);
    case Ending::SimulationFault:
      throw SimulationError(text);
    case Ending::NoMemory:
      throw std::bad_alloc();
    case Ending::RefutedFolding:
      throw FoldingRefuted();
    case Ending::OtherFault:
      throw std::runtime_error(text);
  }
}

}  // namespace

// ---- the pipe

void ResultPipe::pass_bytes(void* data, std::size_t size) {
  if (direction_ == Direction::Write)
    write(static_cast<const char*>(data), size);
  else
    read(static_cast<char*>(data), size);
}

void ResultPipe::write(const char* data, std::size_t size) {
  if (filled_ + size > kBuffer)
    flush();
  if (size > kBuffer)
    return write_all(pipe_, data, size);
  std::copy_n(data, size, buffer_.data() + filled_);
  filled_ += size;
}

void ResultPipe::flush() {
  write_all(pipe_, buffer_.data(), std::exchange(filled_, 0));
}

void ResultPipe::read(char* data, std::size_t size) {
  while (size > 0) {
    if (taken_ == filled_ && size > kBuffer) {
      const std::size_t got = read_some(data, size);
      data += got;
      size -= got;
      continue;
    }
    if (taken_ == filled_) {
      filled_ = read_some(buffer_.data(), kBuffer);
      taken_ = 0;
    }
    const std::size_t got = std::min(size, filled_ - taken_);
    std::copy_n(buffer_.data() + taken_, got, data);
    taken_ += got;
    data += got;
    size -= got;
  }
}

std::size_t ResultPipe::read_some(char* data, std::size_t size) {
  for (;;) {
    check_interruption();
    pollfd readable{.fd = pipe_, .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, kPatience) <= 0)
      continue;
    const ssize_t got = ::read(pipe_, data, size);
    if (got > 0)
      return static_cast<std::size_t>(got);
    if (got == 0 || errno != EINTR)
      throw PipeClosed();
  }
}

// ---- the processes

SimulationProcess::SimulationProcess() {
  if (current != nullptr)
    throw std::logic_error("a simulation within a simulation");
  current = this;
}

SimulationProcess::~SimulationProcess() {
  current = nullptr;
  if (pipe_ >= 0)
    ::close(pipe_);
  if (child_ < 0)
    return;
  ::kill(child_, SIGKILL);
  end_of(child_);
}

void SimulationProcess::enter() {
  if (current == nullptr)
    throw std::logic_error("SimGrid is needed outside of simulate_alone()");
  if (!current->is_child_)
    current->fork();
}

void SimulationProcess::fork() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw SimulationError(fmt::format("cannot open a pipe for SimGrid: {}", std::strerror(errno)));
  std::fflush(stdout);  // SimGrid would write out the child's copy of what is buffered
  std::fflush(stderr);
  const pid_t parent = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of the parent's runs in the child
  const pid_t child = ::fork();
  const int why = errno;
  if (child == 0 && !become_child_of(parent))
    ::_exit(1);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[child == 0 ? 0 : 1]);
  pipe_ = ends[child == 0 ? 1 : 0];
  is_child_ = child == 0;
  if (is_child_)
    return;
  if (child < 0)
    throw SimulationError(
        fmt::format("cannot start a process for SimGrid: {}", std::strerror(why)));
  child_ = child;
  throw ContinuesInChild();
}

void SimulationProcess::hand_over(const PassResult& pass_result) {
  Ending ending = Ending::Result;
  ResultPipe pipe(pipe_, ResultPipe::Direction::Write);
  pipe.pass(ending);
  pipe.pass(folding_use());
  pass_result(pipe);
  pipe.flush();
  ::_exit(0);
}

void SimulationProcess::hand_over_failure(const std::exception_ptr& failure) {
  auto [ending, text] = told(failure);
  ResultPipe pipe(pipe_, ResultPipe::Direction::Write);
  pipe.pass(ending);
  pipe.pass(folding_use());
  pipe.pass(text);
  pipe.flush();
  ::_exit(0);
}

void SimulationProcess::receive(const PassResult& pass_result) {
  try {
    ResultPipe pipe(pipe_, ResultPipe::Direction::Read);
    Ending ending{};
    pipe.pass(ending);
    pipe.pass(folding_use());
    if (ending == Ending::Result)
      return pass_result(pipe);
    std::string text;
    pipe.pass(text);
    throw_as_told(ending, text);
  } catch (const PipeClosed&) {
    throw_end_of_child();
  }
}

// The parent may be a Python interpreter with the user's data: it lives on after a crash of the
// child. A signal that was meant for both ends the parent as if it had simulated by itself.
void SimulationProcess::throw_end_of_child() {
  const auto [status, used] = end_of(std::exchange(child_, -1));
  if (ended_by_processor_time(status, used))
    processor_time_is_up();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (reaches_parent(signal)) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
    throw SimulationKilled(signal);
  }
  throw SimulationError(fmt::format(
      "the process in which SimGrid simulates ended with exit code {}", WEXITSTATUS(status)));
}

}  // namespace stepcast
