#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/iteration.hpp"
#include "sim/engine/network/network_backend.hpp"
#include "sim/engine/policy/dispatch_policy.hpp"

namespace stepcast {

/// The main loop of the simulator: repeats a plan's iteration, event by event.
///
/// A step starts when its dependencies are met and its stream lets it: compute in order on its lane
/// (one per class and compute stream), communication when the stream's dispatch policy says so.
/// When it finishes it releases its successors, in this iteration and the next. The replay stops
/// when an iteration ran exactly as an earlier one: the system is deterministic, so it would go on
/// like that.
class Replayer : private Dispatcher {
 public:
  Replayer(const Plan& plan, const Cluster& cluster, const EngineOptions& options);
  Timeline run();

 private:
  /// The compute stream of one class: what it runs now, or will run next.
  struct Lane {
    std::uint32_t iteration = 0;
    std::size_t position = 0;   // in program_.of_stream[stream]
    std::uint32_t version = 0;  // tells a finish event that was overtaken by a change of speed
    bool busy = false;
    Seconds remaining{};  // work left at `since`
    Seconds since{};
    double slowness = 1;  // time per work
  };
  struct Running {
    std::vector<Operation> operations;  // of one launch
  };

  // compute
  Lane& lane_of(ClassId rank_class, StreamId stream);
  void try_start(ClassId rank_class, StreamId stream);
  void schedule_finish(ClassId rank_class, StreamId stream);
  void finish_compute(std::uint32_t lane, std::uint32_t version);
  void advance(ClassId rank_class, StreamId stream);
  void skip_foreign(ClassId rank_class, StreamId stream);
  void change_speed(ClassId rank_class);
  double slowness(ClassId rank_class) const;

  // communication (Dispatcher)
  void launch(std::span<const Operation> operations, Seconds extra) override;
  void finish_communication(std::uint32_t running);
  void begin_slowing(GroupId group);
  void end_slowing(GroupId group);
  Seconds wait_for_room(const ProgramStep& step);
  Seconds running_task_time(ClassId rank_class);
  bool is_ready(Operation operation) const override;
  Bytes size_of(Operation operation) const override;
  bool may_fuse(Operation a, Operation b) const override;
  std::int32_t priority_of(Operation operation) const override;
  Seconds now() override { return queue_.now(); }
  void wake_at(Seconds time, DispatchPolicy& policy) override;
  Seconds copy_time(Bytes size) const override;

  // dependencies and iterations
  Iteration& iteration(std::uint32_t number);
  void offer_free_communication(std::uint32_t number);
  void complete(std::uint32_t number, StepId step, ClassId rank_class);
  void release(std::uint32_t number, StepId step, ClassId rank_class);
  void became_ready(std::uint32_t number, StepId step, ClassId rank_class);
  void look_for_steady_state();
  bool repeats(std::uint32_t number, std::uint32_t period) const;
  void forget_old_iterations();
  std::uint32_t shortest_period() const;
  Timeline timeline() const;
  std::uint32_t below_mean(std::uint32_t first, std::uint32_t end) const;
  [[noreturn]] void report_deadlock() const;
  std::string describe_wait(std::uint32_t number, StepId step) const;

  const Iteration& at(std::uint32_t number) const { return iterations_[number - oldest_]; }
  StreamId streams() const { return static_cast<StreamId>(plan_.streams.size()); }
  std::uint32_t known() const { return oldest_ + static_cast<std::uint32_t>(iterations_.size()); }

  const Plan& plan_;
  const Cluster& cluster_;
  const EngineOptions& options_;
  Folding folding_;
  Program program_;
  EventQueue queue_;
  std::unique_ptr<NetworkBackend> network_;
  std::vector<std::unique_ptr<DispatchPolicy>> policies_;  // by stream; null: compute
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> communicating_;  // by class: launches it takes part in
  std::vector<Running> running_;
  std::vector<std::uint32_t> idle_running_;
  std::deque<Iteration> iterations_;
  std::uint32_t oldest_ = 0;     // number of iterations_.front()
  std::uint32_t unchecked_ = 0;  // first iteration not yet looked at for the steady state
  std::vector<Seconds> begins_;
  std::uint32_t period_ = 0;  // iterations after which everything repeats; 0: not found yet
  bool stopped_ = false;
};

}  // namespace stepcast
