#pragma once
// A plan as the commands that one GPU gets: how often which calibrated product runs for a compute
// task, which copies stand for a collective, what waits for what.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/probe/arguments.hpp"
#include "traces/formats/stepcast/experiments/exported_plan.hpp"

namespace stepcast {

/// A copy between host and device takes startup + bytes / bandwidth.
struct CopyRate {
  Seconds startup{};
  BytesPerSecond bandwidth{};
};

/// Times measured on the GPU right before a replay.
struct ReplayCalibration {
  std::vector<Seconds> products;     ///< Of one execution in a row of many; descending, not empty.
  std::array<CopyRate, 2> copies{};  ///< To the device, from the device.
};

/// Which of them a communication stream uses: two streams in turn, so that they share no wire.
constexpr std::size_t direction_of(StreamId stream) {
  return (stream + 1U) % 2;
}

/// A task of the plan on one rank.
struct ReplayStep {
  TaskId task = 0;
  StreamId stream = 0;
  std::vector<std::uint32_t> products;  ///< Executions of each product of the calibration.
  std::vector<std::uint64_t> copies;    ///< Emulated communication by copies: bytes, in order.
  Seconds timer{};                   ///< Emulated communication by a timer, and work of the host.
  std::uint32_t collective = kNone;  ///< Real communication.
  std::vector<TaskId> waits;         ///< Tasks of other streams in the same iteration.
  std::vector<TaskId> waits_before;  ///< Tasks of the iteration before.
  bool awaited = false;              ///< Some task waits for it.
};

/// The steps of one rank in an order that no stream has to wait for the host in.
struct ReplayProgram {
  Rank rank = 0;
  std::vector<ReplayStep> steps;
};

/// How the plan can run on so many GPUs.
enum class ReplayMode : std::uint8_t { Emulated, Real };

/// `asked`: --gpus; `fixed_ranks`: MPI started a process for each of machine_gpus. Real if the
/// machine has the plan's GPUs (at least 2) and nobody asked for one. Throws HardwareError if more
/// are asked for than there are, InputError if neither 1 nor the plan's.
ReplayMode replay_mode(std::uint32_t plan_gpus, std::uint32_t machine_gpus,
                       std::optional<std::uint32_t> asked, bool fixed_ranks = false);

/// Largest single copy of an emulated collective.
inline constexpr std::uint64_t kLargestCopy = 64ULL << 20;

/// The program of the plan's exported rank with emulated communication, or of `rank` with real
/// communication. What a compute task's products miss or exceed is made up for by the next one of
/// the stream, so that the sum is right to half of the shortest product. Compute on streams without
/// forward tasks is the host's and becomes a timer. Throws InputError if the rank has no task.
ReplayProgram emulated_program(const ExportedPlan& plan, const ReplayCalibration& calibration,
                               Emulation emulation);
ReplayProgram real_program(const ExportedPlan& plan, const ReplayCalibration& calibration,
                           Rank rank);

/// Executions of each product that together take closest to `time`; `rest` gets what is left,
/// positive or negative.
std::vector<std::uint32_t> products_for(Seconds time, std::span<const Seconds> products,
                                        Seconds& rest);

/// Copies that together take closest to `time`; none if even an empty one takes over twice as long.
std::vector<std::uint64_t> copies_for(Seconds time, const CopyRate& rate);

}  // namespace stepcast
