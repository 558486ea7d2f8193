#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "models/collective/collective.hpp"

namespace stepcast {

enum class RecordedKind : std::uint8_t {
  Host,
  Kernel,
  Copy,
  Collective,
  Delay,  ///< Device work came later than all that it is known to wait for, see add_delays().
};

/// What a step without its host is made of, in replays as in diagnoses: work of the device between
/// the ends of the step, see ends_of(), and what waits for what. Neither the host's threads nor
/// delays that nothing explains take time then: launches are there in time, and the gaps that they
/// leave are the host's.
constexpr bool is_of_device(RecordedKind kind) {
  return kind != RecordedKind::Host && kind != RecordedKind::Delay;
}

/// The label of work that was lost on its way to the file, see add_delays().
inline constexpr const char* kLostWork = "lost work";

/// A piece of one recorded step: a stretch of a host thread up to its next launch or wait, or work
/// on a stream of the device. Only its duration is kept, not when it ran.
struct RecordedTask {
  std::uint16_t stream = 0;
  RecordedKind kind = RecordedKind::Host;
  Seconds start{};  ///< As recorded. Orders the tasks; nothing else is made of it.
  Seconds duration{};
  std::string label;
  std::optional<CollectiveKind> collective;  ///< Of a collective, if known.
  Bytes size{};                              ///< Of a collective; 0: not recorded.
  std::uint32_t ranks = 0;                   ///< Of a collective: its group; 0: not recorded.
  std::vector<std::uint32_t> group{};        ///< These ranks, ascending; empty: not recorded.
  bool gradients = false;                    ///< A collective that reduces a bucket of gradients.
  bool behind_lost = false;  ///< What was launched before it, behind the last, is not recorded.
};

/// A gradient as it became ready: its size, and the task after which it was.
struct RecordedGradient {
  Bytes size{};
  std::uint32_t ready = 0;
};

/// One recorded step as tasks on streams. The tasks of a stream run in order; edges go from an
/// earlier task of the list to a later one.
struct RecordedStep {
  std::string name;
  Seconds recorded{};                ///< What the step took on the device.
  Seconds begin{};                   ///< When on the device the step before ended, or would have.
  bool whole = true;                 ///< False: that was not recorded, nor what the step took.
  bool alone = false;                ///< Neither of the steps beside it was recorded.
  bool stalled = false;              ///< See find_stalled(): means leave it out.
  std::vector<std::string> streams;  ///< 0: the thread that trains; other threads; the device's.
  std::vector<RecordedTask> tasks;   ///< In order of their recorded start.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  /// A stream and a task, which waits for all that the steps before put on the stream.
  std::vector<std::pair<std::uint16_t, std::uint32_t>> earlier;
  std::vector<RecordedGradient> gradients;  ///< In ready order; empty if not known.
  std::uint32_t world_size = 0;             ///< Ranks of the job; 0: not recorded.
};

/// Begin and end of a step on its device.
struct StepEnds {
  Seconds begin{};
  Seconds end{};
};

/// Returns begin and end of the step on its device: it begins where the step before ends and takes
/// as long as was recorded. A step without neighbours ends with its last work.
StepEnds ends_of(const RecordedStep& step);

/// Leaves of the device's work what lies between the ends of the step: work that was launched in
/// the step may begin in the one before and, if nothing in the step waits for it, go on in the
/// next.
RecordedStep within_its_ends(RecordedStep step);

}  // namespace stepcast
