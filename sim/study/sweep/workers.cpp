#include "sim/study/sweep/workers.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Job = std::function<std::string(std::uint32_t)>;

/// How a job ended: the first byte that its process sends; the result or error message follows.
enum class Ending : char { Done = 'd', InputFault = 'i', SimulationFault = 's', OtherFault = 'o' };

std::string message(Ending ending, const std::string& text) {
  return static_cast<char>(ending) + text;
}

std::string message_of(const Job& job, std::uint32_t number) {
  try {
    return message(Ending::Done, job(number));
  } catch (const InputError& error) {
    return message(Ending::InputFault, error.what());
  } catch (const SimulationError& error) {
    return message(Ending::SimulationFault, error.what());
  } catch (const std::exception& error) {
    return message(Ending::OtherFault, error.what());
  }
}

/// Throws what the job threw, or returns its result.
std::string result_of(const std::string& message) {
  if (message.empty())
    throw std::runtime_error("a worker process died");
  std::string text = message.substr(1);
  switch (static_cast<Ending>(message.front())) {
    case Ending::Done:
      return text;
    case Ending::InputFault:
      throw InputError(text);
    case Ending::SimulationFault:
      throw SimulationError(text);
    case Ending::OtherFault:
      break;
  }
  throw std::runtime_error(text);
}

bool is_done(const std::string& message) {
  return message.starts_with(static_cast<char>(Ending::Done));
}

/// The number of the next job, in memory that all workers share.
class NextJob {
 public:
  explicit NextJob(std::uint32_t count) : count_(count) {
    void* memory =
        ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(std::string("cannot share memory: ") + std::strerror(errno));
    next_ = new (memory) Counter(0);
  }
  ~NextJob() { ::munmap(next_, sizeof(Counter)); }
  NextJob(const NextJob&) = delete;
  NextJob& operator=(const NextJob&) = delete;

  /// Numbers are taken in order; nothing when there are no more.
  std::optional<std::uint32_t> take() {
    const std::uint32_t number = next_->fetch_add(1);
    return number < count_ ? std::optional(number) : std::nullopt;
  }
  /// Jobs before a failed one have all been taken; none after it is worth taking.
  void close() { next_->store(count_); }

 private:
  using Counter = std::atomic<std::uint32_t>;
  static_assert(Counter::is_always_lock_free);

  Counter* next_;
  std::uint32_t count_;
};

/// What a worker sends before a message.
struct Header {
  std::uint32_t number;
  std::uint32_t size;
};

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
[[noreturn]] void work(const Job& job, NextJob& next, int pipe) {
  while (const auto number = next.take()) {
    const std::string message = message_of(job, *number);
    if (!is_done(message))
      next.close();
    const Header header{*number, static_cast<std::uint32_t>(message.size())};
    if (!send(pipe, &header, sizeof header) || !send(pipe, message.data(), message.size()))
      ::_exit(1);
  }
  ::_exit(0);
}

class Worker;
using Workers = std::vector<std::unique_ptr<Worker>>;

/// A forked process and the pipe on which it sends its messages.
class Worker {
 public:
  Worker(const Job& job, NextJob& next, const Workers& earlier) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(errno));
    process_ = ::fork();
    if (process_ == 0) {
      // Only the parent may hold the ends for reading: else nobody would find his pipe closed.
      for (const auto& worker : earlier)
        ::close(worker->pipe_);
      ::close(ends[0]);
      work(job, next, ends[1]);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) {
      ::close(pipe_);
      throw std::runtime_error(std::string("cannot start a worker: ") + std::strerror(errno));
    }
  }
  /// A worker still at work ends when it finds its pipe closed.
  ~Worker() {
    ::close(pipe_);
    ::waitpid(process_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int pipe() const { return pipe_; }

  /// Reads what is there; false once there is no more to come.
  bool receive() {
    char buffer[65536];
    const ssize_t size = ::read(pipe_, buffer, sizeof buffer);
    if (size > 0)
      received_.append(buffer, static_cast<std::size_t>(size));
    return size > 0 || (size < 0 && errno == EINTR);
  }

  /// Hands every complete message over, as take(number, message).
  void deliver(const std::function<void(std::uint32_t, std::string)>& take) {
    std::size_t begin = 0;
    for (Header header{}; begin + sizeof header <= received_.size();) {
      std::memcpy(&header, received_.data() + begin, sizeof header);
      const std::size_t end = begin + sizeof header + header.size;
      if (end > received_.size())
        break;
      take(header.number, received_.substr(begin + sizeof header, header.size));
      begin = end;
    }
    received_.erase(0, begin);
  }

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string received_;
};

/// Waits until workers have something to say and hears it; those that have ended are let go.
void hear(Workers& workers, const std::function<void(std::uint32_t, std::string)>& take) {
  std::vector<pollfd> pipes;
  for (const auto& worker : workers)
    pipes.push_back({.fd = worker->pipe(), .events = POLLIN, .revents = 0});
  if (::poll(pipes.data(), pipes.size(), -1) < 0)
    return;  // interrupted
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes[i].revents == 0)
      continue;
    if (workers[i]->receive())
      workers[i]->deliver(take);
    else
      workers[i].reset();
  }
  std::erase(workers, nullptr);
}

}  // namespace

std::uint32_t available_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0)
    return 1;
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&cores)));
}

std::vector<std::string> run_on_workers(std::uint32_t count, std::uint32_t workers, const Job& job,
                                        const std::function<void()>& finished) {
  std::vector<std::string> messages(count);
  NextJob next(count);
  Workers busy;
  while (busy.size() < std::min(workers, count))
    busy.push_back(std::make_unique<Worker>(job, next, busy));
  while (!busy.empty())
    hear(busy, [&](std::uint32_t number, std::string message) {
      messages[number] = std::move(message);
      finished();
    });
  for (std::string& message : messages)
    message = result_of(message);
  return messages;
}

}  // namespace stepcast
