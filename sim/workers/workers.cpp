#include "sim/workers/workers.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/worker_process.hpp"

// Workers sit at numbered seats and take jobs from a board that they share. The parent waits for
// what they send; whose pipe closes while a job lies at its seat has died at that job, which a
// fresh process at the seat tries again before it goes on. Costs a fork for each worker and each
// death.

namespace stepcast {
namespace {

using Ending = JobOutcome::Ending;

constexpr std::uint32_t kMostWorkers = 1024;
constexpr int kNotForEver = 1000;  // ms: a signal may come between the look at it and the wait

/// Files that stay free for this process while workers take all that they can have (`ulimit -n`):
/// results are written while they work.
class SpareFiles {
 public:
  SpareFiles() {
    for (int& file : files_)
      file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  ~SpareFiles() {
    for (const int file : files_)
      if (file >= 0)
        ::close(file);
  }
  SpareFiles(const SpareFiles&) = delete;
  SpareFiles& operator=(const SpareFiles&) = delete;

 private:
  std::array<int, 2> files_{};
};

class Pool {
 public:
  Pool(std::uint32_t count, const WorkerRules& rules, const WorkerJob& job)
      : rules_(rules),
        board_(count, std::min({rules.workers, count, kMostWorkers})),
        task_{job, board_, rules.keep_going},
        outcomes_(count) {
    if (stop_signal() != 0)
      return;  // nothing is begun
    const SpareFiles spare;
    for (std::uint32_t seat = 0; seat < std::min({rules.workers, count, kMostWorkers}); ++seat) {
      auto worker = one_more(seat, std::nullopt);
      if (worker == nullptr)
        break;
      workers_.push_back(std::move(worker));
    }
  }

  std::vector<JobOutcome> run() && {
    hear_all();
    // One that died between taking a job and saying so has lost it: nobody else knows of it.
    for (std::uint32_t number = 0; number < outcomes_.size() && !failed_; ++number) {
      if (outcomes_[number].ending != Ending::Missing || stop_signal() != 0)
        continue;
      workers_.push_back(std::make_unique<WorkerProcess>(task_, 0, number, workers_));
      hear_all();
    }
    return std::move(outcomes_);
  }

 private:
  /// Nothing where the system gives no further worker, which those that are there can do without.
  std::unique_ptr<WorkerProcess> one_more(std::uint32_t seat, std::optional<std::uint32_t> first) {
    try {
      return std::make_unique<WorkerProcess>(task_, seat, first, workers_);
    } catch (const NoMoreWorkers&) {
      if (std::ranges::all_of(workers_, [](const auto& worker) { return worker == nullptr; }))
        throw;
      return nullptr;
    }
  }

  void hear_all() {
    while (!workers_.empty() && stop_signal() == 0)
      hear(kNotForEver);
    while (!workers_.empty() && hear(0)) {  // what they had told when the signal came
    }
    workers_.clear();
  }

  /// Waits until workers have something to say and hears it; those that have ended are let go.
  /// False if none had within `patience` milliseconds.
  bool hear(int patience) {
    std::vector<pollfd> pipes;
    for (const auto& worker : workers_)
      pipes.push_back({.fd = worker->pipe(), .events = POLLIN, .revents = 0});
    if (::poll(pipes.data(), pipes.size(), patience) <= 0)
      return false;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents == 0)
        continue;
      if (workers_[i]->receive())
        workers_[i]->deliver(
            [this](std::uint32_t number, JobOutcome outcome) { take(number, std::move(outcome)); });
      else
        let_go(i);
    }
    std::erase(workers_, nullptr);
    return true;
  }

  void take(std::uint32_t number, JobOutcome outcome) {
    outcomes_[number] = std::move(outcome);
    failed_ = failed_ || (!rules_.keep_going && !outcomes_[number].done() &&
                          outcomes_[number].ending != Ending::Died);
    if (rules_.finished)
      rules_.finished(number, outcomes_[number]);
  }

  void let_go(std::size_t worker) {
    const std::uint32_t seat = workers_[worker]->seat();
    const WorkerEnd end = workers_[worker]->end();
    workers_[worker].reset();
    std::optional<std::uint32_t> at = board_.job_at(seat);
    board_.leave(seat);
    if (at && outcomes_[*at].ending != Ending::Missing)
      at.reset();  // it had told of it
    if (end.by_processor_time)
      return end_for_want_of_time(at);
    if (stop_signal() != 0)
      return;
    const bool again = at && died_.insert(*at).second;
    if (at && !again)
      take(*at, {Ending::Died, "its worker process died twice, the last time of " + end.in_words});
    constexpr std::uint32_t kMostIdleDeaths = 16;
    if (again || (!board_.is_empty() && (at || ++idle_deaths_ <= kMostIdleDeaths)))
      workers_[worker] = one_more(seat, again ? at : std::nullopt);
  }

  /// Trying again would use up the same time again.
  void end_for_want_of_time(std::optional<std::uint32_t> at) {
    board_.close();
    processor_time_is_up();
    if (at && stop_signal() == 0)
      take(*at, {Ending::SimulationFault, "out of processor time (ulimit -t)"});
  }

  const WorkerRules& rules_;
  JobBoard board_;
  WorkerTask task_;
  WorkerProcesses workers_;
  std::vector<JobOutcome> outcomes_;
  std::set<std::uint32_t> died_;  ///< Jobs at which a process has died once.
  std::uint32_t idle_deaths_ = 0;
  bool failed_ = false;  ///< A job threw, after which none is begun.
};

}  // namespace

std::uint32_t available_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0)
    return 1;
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&cores)));
}

std::vector<JobOutcome> outcomes_on_workers(std::uint32_t count, const WorkerRules& rules,
                                            const WorkerJob& job) {
  return Pool(count, rules, job).run();
}

const std::string& result_of(const JobOutcome& outcome) {
  switch (outcome.ending) {
    case Ending::Done:
      return outcome.text;
    case Ending::InputFault:
      throw InputError(outcome.text);
    case Ending::SimulationFault:
      throw SimulationError(outcome.text);
    case Ending::Missing:
      throw std::runtime_error("its worker process died before it was begun");
    case Ending::OtherFault:
    case Ending::Died:
      break;
  }
  throw std::runtime_error(outcome.text);
}

std::vector<std::string> run_on_workers(std::uint32_t count, std::uint32_t workers,
                                        const WorkerJob& job,
                                        const std::function<void()>& finished) {
  const StopsBetweenJobs stops;
  const WorkerRules rules{.workers = workers, .finished = [&](auto, const auto&) { finished(); }};
  std::vector<std::string> results;
  for (const JobOutcome& outcome : outcomes_on_workers(count, rules, job)) {
    if (outcome.ending == Ending::Missing && stop_signal() != 0)
      throw Stopped(stop_signal());
    results.push_back(result_of(outcome));
  }
  return results;
}

}  // namespace stepcast
