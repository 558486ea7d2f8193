#pragma once

#include <string>
#include <vector>

#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// The device's own steps, one for each of the host's, by the work that these launched.
///
/// A host that waits for nothing runs ahead of its device, so that its marks say little of when the
/// device does what. A step ends on the device with its last work on the stream that computes most,
/// and begins where the one before ended: the distance of equal points. Before the first recorded
/// step stands work that was launched earlier; where there is none, the step begins when its host
/// begins it, and is no whole one. A step without neighbours lasts from its host's begin, or its
/// first work, to its host's end, or its last work. One with less than half of the work of most is
/// no whole one. Which of the whole ones stalled find_stalled() tells.
std::vector<DeviceStep> find_device_steps(const KinetoTrace& trace, const KinetoView& view);

/// The device's period: mean of the whole steps that did not stall; if there is none, what the host
/// takes for the first.
Seconds device_period(const KinetoView& view);

/// Device work of the step that one of its streams ran beside other work, and copies of input that
/// ran beside nothing.
struct StepLoad {
  Seconds computing{};  ///< Sum over kernels, fills and copies within the device and to the host.
  Seconds copies{};     ///< The same of copies from the host.
  Seconds copies_alone{};  ///< Of these: while nothing computed.
};

/// By step.
std::vector<StepLoad> step_loads(const KinetoTrace& trace, const KinetoView& view);

/// Parts of a step add up to it within this share, or a report doubts it.
inline constexpr double kDoubtedShare = 0.01;
/// Beyond this share a trace is not imported.
inline constexpr double kRefusedShare = 0.05;

/// Why the steps of a trace are not to be trusted, in sentences: parts that do not add up to the
/// step, and work launched before the profile that was taken for that of the only step.
std::vector<std::string> step_doubts(const KinetoTrace& trace, const KinetoView& view,
                                     const std::vector<StepSummary>& steps);

}  // namespace stepcast
