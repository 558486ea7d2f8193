#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stepcast {

/// Cores that this process may use.
std::uint32_t available_cores();

/// What a job does: returns its result, or throws. Runs in a forked process.
using WorkerJob = std::function<std::string(std::uint32_t number)>;

/// How a job ended.
struct JobOutcome {
  enum class Ending : char {
    Missing = ' ',          ///< It was not begun, or not ended when a signal stopped the study.
    Done = 'd',             ///< `text` is its result.
    InputFault = 'i',       ///< It threw an InputError; `text` is what that says.
    SimulationFault = 's',  ///< A SimulationError.
    OtherFault = 'o',       ///< Something else.
    Died = 'x',             ///< Its process died, and the fresh one that tried again died too.
  };
  Ending ending = Ending::Missing;
  std::string text{};

  bool done() const { return ending == Ending::Done; }
};

struct WorkerRules {
  std::uint32_t workers = 1;
  bool keep_going = false;  ///< A job that throws stops no other.
  /// Called in this process after every job, as they end; may take the text away.
  std::function<void(std::uint32_t number, JobOutcome& outcome)> finished{};
};

/// Outcomes of jobs 0 .. count - 1, in this order whoever does which. Forked processes take jobs,
/// in order, as they get free: a result must depend on nothing but its number, then it is the same
/// for any number of workers.
///
/// A job that throws is the last to be begun unless `keep_going`. One whose process dies is tried
/// once more, in a fresh process; if that dies too, its outcome is Died and the others go on. When
/// a signal asks to stop (see StopsBetweenJobs), workers are ended and what is not there is
/// Missing. Workers end with this process, however it ends. Where the system gives fewer than are
/// asked for (`ulimit -n`, `ulimit -u`), those that are there do all; throws std::system_error
/// where it gives none.
std::vector<JobOutcome> outcomes_on_workers(std::uint32_t count, const WorkerRules& rules,
                                            const WorkerJob& job);

/// The result of a job that is done, else throws what the job threw: InputError and SimulationError
/// keep their type, others become std::runtime_error.
const std::string& result_of(const JobOutcome& outcome);

/// Results of all jobs, or throws what the first of them threw, by number: the same error for any
/// number of workers. Throws Stopped if a signal ended it before, std::runtime_error for a job
/// whose processes died.
std::vector<std::string> run_on_workers(std::uint32_t count, std::uint32_t workers,
                                        const WorkerJob& job,
                                        const std::function<void()>& finished);

}  // namespace stepcast
