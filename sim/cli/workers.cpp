#include "sim/cli/workers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <poll.h>
#include <sched.h>
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

/// The life of a worker. Never returns, and leaves what its parent has buffered or registered
/// alone.
[[noreturn]] void work(const Job& job, std::uint32_t number, int pipe) {
  const std::string message = message_of(job, number);
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t size = ::write(pipe, message.data() + sent, message.size() - sent);
    if (size < 0 && errno != EINTR)
      ::_exit(1);  // nobody reads any more
    sent += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
  ::_exit(0);
}

/// A forked process and the pipe on which it will send its message.
class Worker {
 public:
  Worker(const Job& job, std::uint32_t number) : number_(number) {
    int ends[2];
    if (::pipe(ends) != 0)
      throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(errno));
    process_ = ::fork();
    if (process_ == 0)
      work(job, number, ends[1]);
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
  std::uint32_t number() const { return number_; }
  const std::string& message() const { return message_; }

  /// Reads what is there; false once there is no more to come.
  bool receive() {
    char buffer[65536];
    const ssize_t size = ::read(pipe_, buffer, sizeof buffer);
    if (size > 0)
      message_.append(buffer, static_cast<std::size_t>(size));
    return size > 0 || (size < 0 && errno == EINTR);
  }

 private:
  std::uint32_t number_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string message_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// Waits until a worker has something to say; the workers that have sent all of it.
std::vector<Worker*> wait_for(const Workers& workers) {
  std::vector<pollfd> pipes;
  for (const auto& worker : workers)
    pipes.push_back({.fd = worker->pipe(), .events = POLLIN, .revents = 0});
  std::vector<Worker*> ended;
  if (::poll(pipes.data(), pipes.size(), -1) < 0)
    return ended;  // interrupted
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes[i].revents != 0 && !workers[i]->receive())
      ended.push_back(workers[i].get());
  }
  return ended;
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
  Workers busy;
  // Jobs begin in order, so all before a failed one have begun; none after it is worth beginning.
  for (std::uint32_t next = 0, end = count; next < end || !busy.empty();) {
    while (next < end && busy.size() < workers)
      busy.push_back(std::make_unique<Worker>(job, next++));
    for (const Worker* worker : wait_for(busy)) {
      messages[worker->number()] = worker->message();
      if (!is_done(worker->message()))
        end = next;
      std::erase_if(busy, [&](const auto& each) { return each.get() == worker; });
      finished();
    }
  }
  for (std::string& message : messages)
    message = result_of(message);
  return messages;
}

}  // namespace stepcast
