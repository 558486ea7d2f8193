#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "traces/formats/kineto/scopes.hpp"
#include "traces/formats/kineto/steps.hpp"
#include "traces/formats/ranks/queued_work.hpp"

namespace stepcast {

inline constexpr std::uint32_t kNoStep = 0xffffffff;

/// What device work is for.
enum class WorkPhase : std::uint8_t {
  Forward,
  Backward,
  Optimizer,
  Communication,
  InputCopy,   ///< Host to device.
  OutputCopy,  ///< Device to host.
};

/// One piece of device work with what is known of it from the host.
struct DeviceWork {
  std::uint32_t event = kNoEvent;
  std::uint32_t launch = kNoEvent;  ///< The runtime call; kNoEvent if not recorded.
  std::uint32_t step = kNoStep;     ///< By the time of the launch.
  bool before_profile = false;      ///< It was launched before the profile began.
  std::uint32_t collective =
      kNoEvent;  ///< Into KinetoTrace::collectives, if its arguments are known.
  WorkPhase phase = WorkPhase::Forward;
  Bytes supplied_size{};  ///< Of a bucket of gradients, by a list beside the trace; 0: none.
};

/// One training step on the device's own clock, see find_device_steps().
struct DeviceStep {
  Seconds begin{};
  Seconds end{};
  Seconds computed{};    ///< End of its last computation: its end, but for a step that is alone.
  bool whole = false;    ///< A period: from where the step before ended to where this one did.
  bool alone = false;    ///< Neither the step before nor the one behind was recorded.
  bool stalled = false;  ///< A whole one that took far longer without computing more.

  Seconds duration() const { return end - begin; }
};

/// A trace as a whole, understood: steps, nesting on the host, and the device's work in order of
/// its start.
struct KinetoView {
  KinetoSteps steps;
  Scopes scopes;
  std::vector<DeviceWork> work;
  std::vector<DeviceStep> device_steps;  ///< One for each of the host's.
  std::set<GroupRanks> model_groups;     ///< See model_groups_of().
};

/// Joins device work to launches by correlation and sorts it by phase: by annotation, by the node
/// of the backward graph, else by the thread that launched it. What cannot be joined, overlaps
/// other work of its stream or lies in no step is counted.
///
/// `buckets`: of one step, from a list given beside the trace; empty: none was. Where a step has as
/// many reductions, they get these sizes as far as their own were not recorded.
KinetoView interpret(const KinetoTrace& trace, ImportReport& report,
                     std::span<const Bytes> buckets = {});

/// The work of each step, into KinetoView::work, in its order.
std::vector<std::vector<std::uint32_t>> work_by_step(const KinetoView& view);

/// "forward", "communication", ...
const char* name_of(WorkPhase phase);

/// The collective of a piece of communication as far as it is known: kind by arguments, else by
/// the kernel's name; size 0 if not recorded.
struct KnownCollective {
  std::optional<CollectiveKind> kind;
  Bytes size{};
  std::uint32_t ranks = 0;  ///< 0: not recorded.
  GroupRanks group;         ///< The ranks that take part; empty: not recorded.
  std::optional<std::uint64_t> sequence;
};
KnownCollective collective_of(const KinetoTrace& trace, const DeviceWork& work);

/// None: no launch is recorded.
std::optional<LaunchQueue> launch_queue(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
