#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/probe/cuda/replay/replay_marks.hpp"
#include "sim/probe/cuda/replay/stand_ins.hpp"
#include "sim/probe/cuda/world/nccl_world.hpp"
#include "sim/probe/hardware.hpp"

namespace stepcast {

/// One GPU of a replay: a CUDA stream for each stream of the plan, and an event for each step that
/// others wait for. Made and used while its GPU is the current one.
class Player {
 public:
  /// `program` outlives the player.
  Player(const ExportedPlan& plan, const ReplayProgram& program, const Member& member,
         ReplayLength length);

  const Member& member() const { return member_; }
  /// The step of a task, or null if it is not of this rank.
  const ReplayStep* find(TaskId task) const;

  /// Everything before a step's own work: what it waits for, and the marks.
  void open(const ReplayStep& step, std::uint32_t iteration);
  /// Compute and emulated communication.
  void play(const ReplayStep& step) const;
  /// Real communication, between Communicator's begin() and end(); `index` is this GPU's among
  /// those of the process.
  void communicate(const ReplayStep& step, const ExportedPlan& plan,
                   const Communicator& communicator, std::size_t index) const;
  /// Everything after it.
  void close(const ReplayStep& step, std::uint32_t iteration);

  const CudaStream& stream(StreamId id) const { return streams_[id]; }
  void synchronise() const;
  /// After synchronise(). Throws HardwareError if the plan's first stream has no task.
  ReplayMeasurement result() const { return marks_.result(program_); }

 private:
  void make_stand_ins();
  void make_buffers(const ExportedPlan& plan);

  const ReplayProgram& program_;
  Member member_;
  std::vector<CudaStream> streams_;
  std::vector<std::uint32_t> step_of_;  // by task; kNone: not of this rank
  std::map<StreamId, Products> products_;
  std::map<StreamId, HostLink> links_;
  std::map<StreamId, std::pair<Memory, Memory>> buffers_;  // of real communication
  std::array<std::vector<CudaEvent>, 2> done_;             // of even and odd iterations, by step
  ReplayMarks marks_;
};

}  // namespace stepcast
