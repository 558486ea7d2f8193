#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/iteration.hpp"
#include "sim/engine/lanes.hpp"
#include "sim/engine/network/network_backend.hpp"
#include "sim/engine/policy/dispatch_policy.hpp"
#include "sim/engine/slow_ports.hpp"
#include "sim/engine/steady_state.hpp"

namespace stepcast {

/// What a simulation is asked for.
enum class Asked {
  Times,      ///< Of the iterations: less is kept of those that are over.
  Intervals,  ///< Of every task, too.
};

/// The main loop of the simulator: repeats a plan's iteration, event by event.
///
/// A step starts when its dependencies are met and its stream lets it: in order on its lane (one
/// per class and stream), or when the stream's dispatch policy says so. A communication also needs
/// all its members. When a step finishes it releases its successors, in this iteration and in later
/// ones. The replay stops when an iteration ran exactly as an earlier one.
class Replayer : private Dispatcher {
 public:
  Replayer(const Plan& plan, const Cluster& cluster, const EngineOptions& options, Folding folding,
           Asked asked);
  Timeline run();

 private:
  /// Operations that were launched as one.
  struct Running {
    std::vector<Operation> operations;
    bool slows = false;
    Seconds extra{};               // before it moves, beside the launch
    Seconds startup{};             // behind its bytes, when its stream is free
    Team made;                     // on the spot
    std::vector<ClassId> members;  // of that
  };

  /// What passes before a message of that size moves.
  struct Startup {
    Bytes size{-1};
    Seconds time{};
  };

  void make_policies(StreamId stream);
  DispatchPolicy& policy_of(const Operation& operation);
  bool is_in_order(StreamId stream) const { return policies_[stream].empty(); }

  void start_everything();

  // compute
  void try_start(LaneId lane);
  void start_compute(LaneId lane, Lanes::Head head);
  void finish_when_due(LaneId lane);
  void finish_compute(LaneId lane, std::uint32_t version);
  void change_speed(ClassId rank_class);
  double slowness(ClassId rank_class, StreamId stream) const;
  double scale_of(ClassId rank_class, std::uint32_t iteration) const;
  Seconds running_task_time(ClassId rank_class);
  void set_ports(ClassId rank_class);

  // communication
  void try_meet(Operation operation);
  Participants participants_of(const Running& running) const;
  void start_communication(std::uint32_t running, Seconds extra);
  void transfer(std::uint32_t running);
  Participants slow_transfer(Collective& collective, const Operation& operation,
                             const Participants& participants) const;
  Seconds startup_behind(const Running& running, const Collective& collective,
                         const Participants& participants);
  void finish_transfer(std::uint32_t running);
  void finish_communication(std::uint32_t running);
  void finish_operations(const Running& running);
  void give_back(std::uint32_t running);
  void leave_stream(const Operation& operation);
  void begin_slowing(const Running& running);
  void end_slowing(const Running& running);
  Seconds wait_for_room(const std::vector<ClassId>& members);
  std::uint32_t take_slot(std::span<const Operation> operations);

  // Dispatcher
  void launch(std::span<const Operation> operations, Seconds extra) override;
  void launch_on(Group group, std::span<const Operation> operations, Seconds extra) override;
  bool is_ready(Operation operation) const override;
  bool is_announced_early(Operation operation) const override {
    return !program_.is_announced.empty() && program_.is_announced[operation.step];
  }
  const Group& group_of(Operation operation) const override;
  Bytes size_of(Operation operation) const override;
  bool may_fuse(Operation a, Operation b) const override;
  std::int32_t priority_of(Operation operation) const override;
  Seconds overhead_of(Operation operation) const override;
  Seconds now() override { return queue_.now(); }
  void wake_at(Seconds time, DispatchPolicy& policy) override;
  Seconds copy_time(Bytes size) const override;

  // dependencies and iterations
  Iteration& iteration(std::uint32_t number) {
    if (number >= iterations_.known())
      add_iterations(number);
    return iterations_.at(number);
  }
  void add_iterations(std::uint32_t last);
  void offer_free_communication(std::uint32_t number);
  void complete(std::uint32_t number, StepId step, ClassId rank_class);
  void release_within(Iteration& current, StepId step, ClassId rank_class);
  void release(Iteration& current, StepId step, ClassId rank_class);
  void announce(std::uint32_t number, StepId step, ClassId rank_class);
  void became_ready(Iteration& current, StepId step, ClassId rank_class);
  void offer(const Operation& operation);
  void stop_if_enough() { stopped_ = stopped_ || iterations_.is_enough(); }
  std::vector<StreamId> find_slowed_streams() const;
  LaneId find_clock() const;
  Timeline timeline() const;
  void add_intervals(Timeline& timeline) const;
  Seconds longest_step(const Iteration& iteration, Seconds length) const;
  void report_endless() const;
  [[noreturn]] void report_deadlock() const;
  std::string describe_wait(std::uint32_t number, StepId step) const;

  const ProgramStep& step_of(Operation operation) const { return program_.steps[operation.step]; }
  std::uint32_t& members_awaited(Iteration& iteration, StepId step, MeetingId meeting) {
    return iteration.awaited.members[waiting_place(step, meeting)];
  }
  StepRun& compute_run(Iteration& iteration, StepId step, ClassId rank_class) {
    return iteration.runs[program_.steps[step].first_run + program_.member(step, rank_class)];
  }
  StepRun& meeting_run(const Operation& operation) {
    const ProgramStep& step = step_of(operation);
    return iteration(operation.iteration)
        .runs[step.first_run + operation.meeting - folding_.first_meeting[step.team]];
  }
  void begin_run(Iteration& iteration, StepId step, StepRun& run) {
    run.start = now();
    Stretch& stretch = iteration.stretches[program_.steps[step].stretch];
    if (stretch.first_start < Seconds{})
      stretch.first_start = run.start;
  }
  void end_run(Iteration& iteration, StepId step, StepRun& run) {
    iteration.stretches[program_.steps[step].stretch].last_end = run.end = now();
  }
  const StepRun& run_of(const Iteration& iteration, StepId step, ClassId rank_class) const {
    return stepcast::run_of(iteration, program_, folding_, step, rank_class);
  }
  std::size_t waiting_place(StepId step, MeetingId meeting) const {
    return program_.first_meeting[step] + meeting -
           folding_.first_meeting[program_.steps[step].team];
  }
  const std::vector<ClassId>& members_of(const Operation& operation) const {
    return folding_.meetings[operation.meeting].members;
  }
  const std::vector<ClassId>& members_of(const Running& running) const {
    return running.members.empty() ? members_of(running.operations.front()) : running.members;
  }

  const Plan& plan_;
  const Cluster& cluster_;
  const EngineOptions& options_;
  Folding folding_;
  Program program_;
  EventQueue queue_;
  std::unique_ptr<NetworkBackend> network_;
  std::vector<std::vector<std::unique_ptr<DispatchPolicy>>> policies_;  // by stream and component
  std::vector<std::vector<ClassId>> component_of_class_;  // by stream with policies, and class
  Lanes lanes_;
  std::vector<StreamId> slowed_streams_;
  std::vector<char> computes_;                // by stream: whether it holds compute
  std::vector<Startup> startups_;             // by meeting
  LaneId clock_;                              // iterations begin with its first compute step
  std::vector<std::uint32_t> communicating_;  // by class: launches it takes part in
  SlowPorts slow_ports_;
  std::deque<Running> running_;  // which stay where they are
  std::vector<std::uint32_t> idle_running_;
  Asked asked_;
  SteadyState iterations_;
  bool stopped_ = false;
};

}  // namespace stepcast
