#pragma once

#include <vector>

#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

/// A stretch of time of one thread.
struct HostSpan {
  Seconds begin{};
  Seconds end{};
};

/// A stretch in which another thread worked, and the stretch for which the training thread was idle
/// meanwhile.
struct HostBurst {
  HostSpan busy;
  HostSpan idle;
  bool called = false;  ///< The training thread was idle when it began: it called.
  bool waited_for() const { return called && busy.end <= idle.end; }
};

/// Stretches of a step in which `thread` was in no operator and no runtime call.
std::vector<HostSpan> idle_spans(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step);

/// What `thread` did in the step, in the idle stretches of the training thread.
std::vector<HostBurst> bursts_of(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step,
                                 const std::vector<HostSpan>& idle);

/// Operators and runtime calls of a thread that begin within the step, in order.
std::vector<std::uint32_t> host_events(const KinetoTrace& trace, const KinetoView& view,
                                       std::uint16_t thread, const KinetoStep& step);

}  // namespace stepcast
