#include "sim/workers/worker_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/workers/processor_time.hpp"
#include "sim/workers/simulation_killed.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

/// What a worker sends before the text of an outcome.
struct Header {
  std::uint32_t number;
  JobOutcome::Ending ending;
  std::uint64_t size;
};

[[noreturn]] void fail(const char* what) {
  throw NoMoreWorkers(errno, std::generic_category(), what);
}

/// Ends the worker by the signal that ended its simulation: a fresh worker tries the job again, as
/// the kernel may have killed the first for memory that others took.
[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  ::_exit(128 + signal);
}

JobOutcome outcome_of(const WorkerJob& job, std::uint32_t number) {
  using enum JobOutcome::Ending;
  try {
    return {Done, job(number)};
  } catch (const SimulationKilled& killed) {
    die_of(killed.signal());
  } catch (const InputError& error) {
    return {InputFault, error.what()};
  } catch (const SimulationError& error) {
    return {SimulationFault, error.what()};
  } catch (const std::bad_alloc&) {
    return {OtherFault, "out of memory"};
  } catch (const std::exception& error) {
    return {OtherFault, error.what()};
  }
}

struct End {
  int status = 0;
  rusage used{};
};

/// How the worker ended, also where a signal's handler interrupts the wait.
End end_of(pid_t worker) {
  End end;
  while (::wait4(worker, &end.status, 0, &end.used) < 0 && errno == EINTR) {
  }
  return end;
}

bool send(int pipe, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t written = ::write(pipe, bytes + sent, size - sent);
    if (written < 0 && errno != EINTR)
      return false;  // nobody reads any more
    sent += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  return true;
}

/// The life of a worker. Never returns, and leaves what its parent has buffered or registered
/// alone.
[[noreturn]] void work(const WorkerTask& task, std::uint32_t seat,
                       std::optional<std::uint32_t> first, int pipe) {
  const auto do_job = [&](std::uint32_t number) {
    task.board.sit_at(seat, number);
    const JobOutcome outcome = outcome_of(task.job, number);
    if (!outcome.done() && !task.keep_going)
      task.board.close();
    const Header header{number, outcome.ending, outcome.text.size()};
    if (!send(pipe, &header, sizeof header) ||
        !send(pipe, outcome.text.data(), outcome.text.size()))
      ::_exit(1);
    task.board.leave(seat);
  };
  if (first)
    do_job(*first);
  while (const auto number = task.board.take())
    do_job(*number);
  ::_exit(0);
}

}  // namespace

JobBoard::JobBoard(std::uint32_t count, std::uint32_t seats)
    : size_((seats + 1) * sizeof(Number)), count_(count) {
  void* memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("cannot share memory");
  numbers_ = static_cast<Number*>(memory);
  for (std::uint32_t i = 0; i <= seats; ++i)
    new (numbers_ + i) Number(0);
}

JobBoard::~JobBoard() {
  ::munmap(numbers_, size_);
}

std::optional<std::uint32_t> JobBoard::take() {
  std::uint32_t number = numbers_[0].load();
  while (number < count_ && !numbers_[0].compare_exchange_weak(number, number + 1)) {
  }
  return number < count_ ? std::optional(number) : std::nullopt;
}

void JobBoard::close() {
  numbers_[0].store(count_);
}

bool JobBoard::is_empty() const {
  return numbers_[0].load() >= count_;
}

void JobBoard::sit_at(std::uint32_t seat, std::uint32_t number) {
  numbers_[1 + seat].store(number + 1);
}

void JobBoard::leave(std::uint32_t seat) {
  numbers_[1 + seat].store(0);
}

std::optional<std::uint32_t> JobBoard::job_at(std::uint32_t seat) const {
  const std::uint32_t number = numbers_[1 + seat].load();
  return number > 0 ? std::optional(number - 1) : std::nullopt;
}

WorkerProcess::WorkerProcess(const WorkerTask& task, std::uint32_t seat,
                             std::optional<std::uint32_t> first, const WorkerProcesses& others)
    : seat_(seat) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail("cannot open a pipe");
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    handle_signals_of_worker();
    if (::getppid() != parent)
      ::_exit(1);
    // Only the parent may hold the ends for reading: else nobody would find his pipe closed.
    for (const auto& other : others)
      if (other)
        ::close(other->pipe_);
    ::close(ends[0]);
    work(task, seat, first, ends[1]);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    ::close(pipe_);
    fail("cannot start a worker");
  }
}

WorkerProcess::~WorkerProcess() {
  ::close(pipe_);
  if (process_ < 0)
    return;
  ::kill(process_, SIGKILL);
  end_of(process_);
}

bool WorkerProcess::receive() {
  char buffer[65536];
  const ssize_t size = ::read(pipe_, buffer, sizeof buffer);
  if (size > 0)
    received_.append(buffer, static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

void WorkerProcess::deliver(const std::function<void(std::uint32_t, JobOutcome)>& take) {
  std::size_t begin = 0;
  for (Header header{}; begin + sizeof header <= received_.size();) {
    std::memcpy(&header, received_.data() + begin, sizeof header);
    if (header.size > received_.size() - begin - sizeof header)
      break;
    take(header.number, {header.ending, received_.substr(begin + sizeof header, header.size)});
    begin += sizeof header + header.size;
  }
  received_.erase(0, begin);
}

WorkerEnd WorkerProcess::end() {
  const auto [status, used] = end_of(std::exchange(process_, -1));
  return {.in_words = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                        ::strsignal(WTERMSIG(status)))
                                          : fmt::format("exit code {}", WEXITSTATUS(status)),
          .by_processor_time = ended_by_processor_time(status, used)};
}

}  // namespace stepcast
