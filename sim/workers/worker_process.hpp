#pragma once
// A forked process that does jobs, and the pipe on which it tells how they ended. Only for
// workers.cpp.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <sys/types.h>

#include "sim/workers/workers.hpp"

namespace stepcast {

/// Which jobs are left and which each worker is at, in memory that all of them share: what a worker
/// that died was doing, its parent reads there.
class JobBoard {
 public:
  JobBoard(std::uint32_t count, std::uint32_t seats);
  ~JobBoard();
  JobBoard(const JobBoard&) = delete;
  JobBoard& operator=(const JobBoard&) = delete;

  /// Numbers are taken in order; nothing when there are no more.
  std::optional<std::uint32_t> take();
  /// Jobs before a failed one have all been taken; none after it is worth taking.
  void close();
  bool is_empty() const;

  void sit_at(std::uint32_t seat, std::uint32_t number);
  void leave(std::uint32_t seat);
  std::optional<std::uint32_t> job_at(std::uint32_t seat) const;

 private:
  using Number = std::atomic<std::uint32_t>;
  static_assert(Number::is_always_lock_free);

  std::size_t size_;
  Number* numbers_;  ///< The next job, then one more than that of each seat; 0: none.
  std::uint32_t count_;
};

class WorkerProcess;
using WorkerProcesses = std::vector<std::unique_ptr<WorkerProcess>>;

/// The system gives no process, no pipe or no memory for one more worker.
class NoMoreWorkers : public std::system_error {
 public:
  using std::system_error::system_error;
};

/// What every worker of a study shares.
struct WorkerTask {
  const WorkerJob& job;
  JobBoard& board;
  bool keep_going = false;
};

struct WorkerEnd {
  std::string in_words;            ///< "signal 9 (Killed)", "exit code 1"
  bool by_processor_time = false;  ///< The limit of processor time ended it (`ulimit -t`).
};

class WorkerProcess {
 public:
  /// Does `first` before it takes jobs from the board. Throws NoMoreWorkers.
  WorkerProcess(const WorkerTask& task, std::uint32_t seat, std::optional<std::uint32_t> first,
                const WorkerProcesses& others);
  /// Ends the process if it has not ended.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int pipe() const { return pipe_; }
  std::uint32_t seat() const { return seat_; }

  /// Reads what is there; false once there is no more to come.
  bool receive();
  /// Hands over how each job ended, once all of it is there.
  void deliver(const std::function<void(std::uint32_t, JobOutcome)>& take);
  /// After its pipe has closed.
  WorkerEnd end();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  std::uint32_t seat_;
  std::string received_;
};

}  // namespace stepcast
