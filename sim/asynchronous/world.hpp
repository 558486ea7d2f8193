#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/slow_down.hpp"
#include "sim/asynchronous/actor.hpp"
#include "sim/asynchronous/agenda.hpp"
#include "sim/asynchronous/traffic.hpp"
#include "sim/timeline/engine_use.hpp"

namespace stepcast {

/// When a worker sends its model in an iteration.
enum class SendTime : std::uint8_t {
  Beside,        ///< As it begins to compute.
  AfterForward,  ///< Behind its forward pass, as by hooks of a whole model.
  Behind,        ///< Behind its gradient.
};

/// What a protocol is run on.
struct ProtocolJob {
  std::uint32_t workers = 1;
  std::uint32_t per_node = 1;          ///< Workers that share a NIC.
  std::uint32_t ranks_per_worker = 1;  ///< GPUs in step, the slowest of which counts.
  Seconds compute{};                   ///< Of a worker in an iteration, without slow-downs.
  double forward_share = 0;            ///< Of that the forward pass, for SendTime::AfterForward.
  Seconds reduce{};                    ///< Of averaging and update, behind what was waited for.
  Bytes model{};
  std::uint32_t iterations = 100;  ///< Of a worker, or on average where they run freely.
  std::uint32_t before = 0;        ///< Left out of those whose rules are others (Period::first).
  SlowDown slow_down{};
  Traffic traffic{};
  bool checked = false;     ///< Assert the protocol's invariants after every event.
  std::uint32_t shown = 0;  ///< Keep what happened in so many first iterations.
  std::uint32_t kept = 0;   ///< Keep when so many first iterations began.
};

/// What a worker's compute takes in an iteration, with the draws of `slow`.
Seconds compute_time(const ProtocolJob& job, const SlowDown& slow, Rank worker,
                     std::uint32_t iteration);

/// Share of its compute after which a worker sends.
double sent_after(const ProtocolJob& job, SendTime send);

/// What a worker waits for.
enum class Cause : std::uint8_t { Update, Token, Group, Partner, Server, Others, Transfer };
inline constexpr std::size_t kCauses = 7;
const char* name_of(Cause cause);

/// A stretch of a worker's time, of the first iterations.
struct WorkerSpan {
  Rank worker = 0;
  std::uint32_t iteration = 0;
  bool computes = false;
  Cause cause = Cause::Update;  ///< If it does not compute.
  Seconds begin{};
  Seconds end{};
};

/// What came of it.
struct ProtocolRun {
  Seconds makespan{};
  std::vector<std::uint32_t> iterations;   ///< Done by each worker.
  std::array<Seconds, kCauses> waiting{};  ///< Of all workers.
  std::vector<std::uint64_t> gaps;         ///< Begun so many ahead of the slowest worker.
  std::vector<std::uint64_t> staleness;    ///< Averaged with something so many iterations old.
  double models_sent = 0;                  ///< Each is `job.model` bytes.
  double models_between_nodes = 0;         ///< Of these over NICs.
  Seconds computing{};                     ///< Of all workers, in iterations that were finished.
  std::uint64_t events = 0;
  EngineUse engine{};
  std::vector<WorkerSpan> spans;
  /// When each worker began each iteration, up to the last one that all began; below zero where a
  /// worker skipped it. Where links are occupied, the times until which the links of each worker
  /// were busy follow, below zero if they were free.
  std::vector<std::vector<Seconds>> begins;

  std::uint64_t all_iterations() const;
  /// Of a worker, on average: the makespan by iterations of all, times workers.
  Seconds iteration_time() const;
};

/// The workers, their clock and what is told of them.
class World {
 public:
  explicit World(const ProtocolJob& job) : World(job, job.workers) {}
  /// `waiters`: that may wait at once; the first of them are the workers.
  World(const ProtocolJob& job, std::uint32_t waiters);

  const ProtocolJob& job() const { return job_; }
  Agenda& agenda() { return agenda_; }
  Seconds now() { return agenda_.now(); }

  /// After every event, where the job is checked.
  void check_with(AgendaEntry check);

  void start(Actor actor);
  /// Runs all to their end or until stop(). Throws SimulationError with what `stuck` says if some
  /// wait for good.
  ProtocolRun run(const std::function<std::string()>& stuck);
  /// The same of worker(0), worker(1), ...
  ProtocolRun run(const std::function<Actor(Rank)>& worker,
                  const std::function<std::string()>& stuck);
  void stop() { agenda_.stop(); }
  /// A line on a run in which workers wait for ever: three of them, what `for_what` says of each,
  /// and how many others there are.
  std::string deadlock(const std::string& schedule,
                       const std::function<std::string(Rank)>& for_what) const;

  /// The worker begins this iteration (the first is 0), which it has not before.
  void begin(Rank worker, std::uint32_t iteration);
  std::uint32_t iteration_of(Rank worker) const { return iteration_[worker]; }
  std::uint32_t least_iteration() const { return least_; }
  /// It has done so many more; true once all together have done what the job asks for.
  bool finish(Rank worker, std::uint32_t count = 1);
  void used(std::uint32_t age);

  struct Sleep {
    World& world;
    Seconds time;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> actor) {
      world.agenda_.resume_at(world.now() + time, actor);
    }
    void await_resume() const {}
  };
  Sleep sleep(Seconds time) { return {*this, time}; }
  Sleep compute(Rank worker, std::uint32_t iteration);
  /// A share of it; the shares of an iteration add up to 1.
  Sleep compute(Rank worker, std::uint32_t iteration, double share);
  /// Time that the worker cannot use, for a cause known beforehand.
  Sleep lose(Rank worker, Cause cause, Seconds time);

  struct Wait {
    World& world;
    std::uint32_t waiter;
    Cause cause;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> actor);
    void await_resume() const {}
  };
  /// Until wake(); what is waited for must be looked at again then.
  Wait wait(std::uint32_t waiter, Cause cause) { return {*this, waiter, cause}; }
  void wake(std::uint32_t waiter);
  /// What it waits for from now on.
  void change_cause(std::uint32_t waiter, Cause cause);
  bool is_waiting(std::uint32_t waiter) const { return waiting_[waiter].actor != nullptr; }

  /// By chance a transfer takes so many times its time; `number` tells those of an iteration apart.
  double transfer_slowness(std::span<const Rank> members, std::uint32_t number) const;
  /// A model goes to another worker: `arrived` is done when it is there. No worker sends twice to
  /// another in a round, nor in a round after it has begun to send in the next.
  void send(std::uint32_t round, Rank from, Rank to, AgendaEntry arrived);
  /// A worker's model goes to a server beside the nodes, in a time that the caller knows.
  void count_push();
  /// The members' models are averaged, among all of them at once.
  void all_reduce(const std::vector<Rank>& members, AgendaEntry done);

 private:
  struct Waiting {
    std::coroutine_handle<> actor;
    Cause cause = Cause::Update;
    Seconds since{};
  };
  /// A link of Traffic::occupancy.
  struct LinkUse {
    Rank sender = 0;
    std::uint32_t round = 0;
    Seconds begin{-1};  ///< Of the messages of that round.
    Seconds end{};
  };
  Seconds wait_for_link(std::uint32_t round, Rank from, double slowness);
  Seconds occupied_until(Rank worker) const;
  void end_wait(std::uint32_t waiter);
  void keep_begin(Rank worker, std::uint32_t iteration);
  void show(Rank worker, bool computes, Cause cause, Seconds begin, Seconds end);

  const ProtocolJob& job_;
  Agenda agenda_;
  std::vector<Actor> actors_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> iteration_;
  std::vector<std::uint32_t> workers_at_;  // by iteration
  std::vector<Seconds> computed_;          // by each worker in this iteration
  std::vector<LinkUse> links_;             // that were used
  std::uint32_t least_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t nested_ = 0;
  bool is_ending_ = false;  // one has done all its iterations
  ProtocolRun run_;
};

}  // namespace stepcast
