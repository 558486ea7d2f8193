#pragma once

#include <vector>

#include "traces/readers/kineto/layer_times.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Every step of the trace with device work as tasks and dependencies, for a replay.
///
/// A host thread is cut at its launches and waits; the stretches between are taken as recorded.
/// Dependencies, none of which the profiler notes but the first:
/// - device work starts after its launch (correlation) and after the work before it on its stream;
/// - a call that synchronises (and a blocking copy) ends after the device work of the step that had
///   ended last by its end;
/// - a thread that was busy while the training thread was idle was called by it, and the training
///   thread went on when it had finished (the backward pass);
/// - a collective starts after what its thread launched before it;
/// - cudaStreamWaitEvent outside of a collective's launch makes the work launched next wait for the
///   thread's first collective not waited for yet.
/// Those that the recorded times contradict are left out and counted.
std::vector<RecordedStep> recorded_steps(const KinetoTrace& trace, const KinetoView& view,
                                         ImportReport& report);

}  // namespace stepcast
