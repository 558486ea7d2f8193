#pragma once

#include <vector>

#include "traces/formats/kineto/layers/layer_times.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Every step of the trace with device work as tasks and dependencies, for a replay.
///
/// A host thread is cut at its launches and waits; the stretches between are taken as recorded.
/// Dependencies, none of which the profiler notes but the first:
/// - device work starts after its launch (correlation) and after the work before it on its stream;
/// - a call that synchronises with the device ends after the last work of every stream that was
///   launched before it; with a stream or an event, or a blocking copy, after that work of the step
///   which had ended last by its end;
/// - a thread that was busy while the training thread was idle was called by it, and the training
///   thread went on when it had finished (the backward pass);
/// - a collective starts after what its thread launched before it;
/// - cudaStreamWaitEvent outside of a collective's launch makes the work launched next on the
///   stream on which its thread computes, by whatever thread, wait for the first collective not
///   waited for yet, unless the times contradict it.
/// Those that the recorded times contradict are left out and counted, and so are collectives that
/// nothing waits for: how long they take bounds the step by their stream's time only.
std::vector<RecordedStep> recorded_steps(const KinetoTrace& trace, const KinetoView& view,
                                         ImportReport& report);

}  // namespace stepcast
