#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "models/base/units.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/program.hpp"

namespace stepcast {

/// A communication of one iteration, on the groups of one meeting.
struct Operation {
  std::uint32_t iteration = 0;
  StepId step = 0;
  MeetingId meeting = 0;
  auto operator<=>(const Operation&) const = default;
};

/// What a dispatch policy may do and ask.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// Starts `operations` as one collective of their summed size. `extra` is added to its time.
  virtual void launch(std::span<const Operation> operations, Seconds extra) = 0;
  /// Starts them as one collective among the ranks of `group`, made on the spot, whatever groups
  /// they have: each brings its ranks, and the largest size counts. Each must stand for one group
  /// only (simulate with EngineOptions::fold off).
  virtual void launch_on(Group group, std::span<const Operation> operations, Seconds extra) = 0;
  virtual bool is_ready(Operation operation) const = 0;
  /// Whether announced() is called for it, before or after ready().
  virtual bool is_announced_early(Operation operation) const = 0;
  /// The ranks of the first group that the operation stands for.
  virtual const Group& group_of(Operation operation) const = 0;
  virtual Bytes size_of(Operation operation) const = 0;
  /// Whether one buffer may hold both: all-reduces alike but for their sizes.
  virtual bool may_fuse(Operation a, Operation b) const = 0;
  virtual std::int32_t priority_of(Operation operation) const = 0;
  virtual Seconds overhead_of(Operation operation) const = 0;
  virtual Seconds now() = 0;
  /// Calls policy.wake() at `time`, when all else that happens then has happened: what a policy
  /// decides in wake() does not hang on the order of events of one instant.
  virtual void wake_at(Seconds time, class DispatchPolicy& policy) = 0;
  /// Time to copy `size` into a fusion buffer or out of it.
  virtual Seconds copy_time(Bytes size) const = 0;
};

/// Decides which communication of a stream starts next where that is not the order of the plan.
/// Run-time decisions live here and nowhere else in the engine.
class DispatchPolicy {
 public:
  virtual ~DispatchPolicy() = default;
  /// Every member rank has met the dependencies of `operation`.
  virtual void ready(Operation operation) = 0;
  /// The hosts of every member rank have issued it (Plan::announcements); its data come later.
  virtual void announced(Operation) {}
  /// A launched operation has finished.
  virtual void finished(Operation operation) = 0;
  virtual void wake() {}
};

/// The policy that a stream's rule asks for; null: in order, which the lanes see to.
std::unique_ptr<DispatchPolicy> make_dispatch_policy(const DispatchRule& rule,
                                                     Dispatcher& dispatcher);

}  // namespace stepcast
