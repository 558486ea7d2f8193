#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "models/base/units.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/program.hpp"

namespace stepcast {

/// A communication of one iteration.
struct Operation {
  std::uint32_t iteration = 0;
  StepId step = 0;
  auto operator<=>(const Operation&) const = default;
};

/// What a dispatch policy may do and ask.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// Starts `operations` as one collective of their summed size. `extra` is added to its time.
  virtual void launch(std::span<const Operation> operations, Seconds extra) = 0;
  virtual bool is_ready(Operation operation) const = 0;
  virtual Bytes size_of(Operation operation) const = 0;
  /// Whether one buffer may hold both: all-reduces alike but for their sizes.
  virtual bool may_fuse(Operation a, Operation b) const = 0;
  virtual std::int32_t priority_of(Operation operation) const = 0;
  virtual Seconds now() = 0;
  /// Calls policy.wake() at `time`.
  virtual void wake_at(Seconds time, class DispatchPolicy& policy) = 0;
  /// Time to copy `size` into a fusion buffer or out of it.
  virtual Seconds copy_time(Bytes size) const = 0;
};

/// Decides which communication of a stream starts next. Run-time decisions live here and nowhere
/// else in the engine.
class DispatchPolicy {
 public:
  virtual ~DispatchPolicy() = default;
  /// Every member rank has met the dependencies of `operation`.
  virtual void ready(Operation operation) = 0;
  /// A launched operation has finished.
  virtual void finished(Operation operation) = 0;
  virtual void wake() {}
};

/// The policy that a stream's rule asks for. `program` and `folding` must outlive it.
std::unique_ptr<DispatchPolicy> make_dispatch_policy(const DispatchRule& rule, StreamId stream,
                                                     const Program& program, const Folding& folding,
                                                     Dispatcher& dispatcher);

}  // namespace stepcast
