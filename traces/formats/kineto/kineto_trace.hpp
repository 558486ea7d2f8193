#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/units.hpp"
#include "models/collective/collective.hpp"
#include "traces/formats/chrome_json/byte_source.hpp"
#include "traces/formats/kineto/groups/process_groups.hpp"
#include "traces/formats/kineto/shapes/input_shapes.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

inline constexpr std::uint32_t kNoEvent = 0xffffffff;

/// KinetoEvent::stream is the stream's number on the first device that the trace holds work of; the
/// streams of every further device of the process begin at a multiple of this.
inline constexpr std::uint64_t kStreamsOfADevice = 1U << 20;

/// What an event of a PyTorch profiler trace is. Kineto names categories differently over the
/// years ("Kernel", "kernel"); ROCm uses the same ones with names of its own.
enum class KinetoKind : std::uint8_t {
  Operator,    ///< An operator of PyTorch on a thread of the host.
  Annotation,  ///< A span that a user, an optimizer or the profiler named.
  Module,      ///< A call of an nn.Module (python_function).
  Runtime,     ///< A call of the CUDA or HIP runtime or driver.
  Kernel,      ///< Work on the device.
  Copy,
  Fill,
};

inline bool is_device_work(KinetoKind kind) {
  return kind == KinetoKind::Kernel || kind == KinetoKind::Copy || kind == KinetoKind::Fill;
}

/// One event, reduced to what the interpretation needs (48 bytes).
struct KinetoEvent {
  Seconds start{};  ///< Since the first event of the file.
  Seconds duration{};
  /// Of an operator autograd's number, which joins a backward node to it; of others the correlation
  /// of device work with the runtime call that launched it; -1: not recorded.
  std::int64_t joint = -1;
  /// Of an operator the elements of its first input tensor, of device work the bytes it copies; 0:
  /// not recorded.
  std::uint64_t amount = 0;
  std::uint32_t name = 0;               ///< Into KinetoTrace::names.
  std::uint32_t collective = kNoEvent;  ///< Into KinetoTrace::collectives.
  std::int32_t stream = 0;   ///< Device work; from kStreamsOfADevice on of a second device.
  std::uint16_t thread = 0;  ///< Host events: into KinetoTrace::threads.
  KinetoKind kind = KinetoKind::Operator;
  bool forward_thread = false;  ///< Runs for an operator of another thread (a backward node).

  Seconds end() const { return start + duration; }
};

/// Arguments of a collective, as PyTorch notes them beside kernels and record_param_comms.
struct KinetoCollective {
  std::string name;  ///< "allreduce", "_allgather_base", "wait".
  Bytes size{};      ///< Of the full buffer, see Collective.
  std::uint32_t ranks = 0;
  std::string dtype;
  std::string group_name;                 ///< PyTorch's, of the ranks that take part.
  GroupRanks group;                       ///< These ranks.
  std::optional<std::uint64_t> sequence;  ///< PyTorch's number of it in its group.
};

struct KinetoTrace {
  std::deque<KinetoEvent> events;  ///< In file order. (A deque does not double while it grows.)
  std::vector<std::string> names;
  std::vector<std::string> threads;  ///< "pid/tid".
  std::vector<KinetoCollective> collectives;
  /// PyTorch's number of a call, by event; kept of those that accumulate a gradient only.
  std::unordered_map<std::uint32_t, std::uint64_t> record_ids;
  InputShapes shapes;
  std::string device_name;
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> world_size;
  std::string nccl_version;
  /// What the events' times count from, in microseconds on the host's clock: exact where a double
  /// would round.
  std::int64_t first_time_us = 0;
  /// Of a device's memory the most that tensors took, and that was held for them, by the
  /// profiler's notes of allocations; 0: there are none.
  Bytes most_allocated{};
  Bytes most_reserved{};
  std::uint64_t repaired_backslashes = 0;
  /// Whether work on one stream runs one after the other: it notes its stream, and none ran in a
  /// CUDA graph.
  bool streams_in_order = true;
  bool of_ascend = false;  ///< By Ascend's profiler, as its device work shows.

  const std::string& name_of(const KinetoEvent& event) const { return names[event.name]; }
};

/// Reads the events that training needs; what is damaged is counted in `report`. Throws InputError
/// that begins with `origin` for damaged JSON or a document without events.
KinetoTrace read_kineto_trace(ByteSource& source, const std::string& origin, ImportReport& report);

/// Kind of collective by the name PyTorch, NCCL or RCCL gives it ("allreduce", "_allgather_base",
/// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)"); none if the name tells none.
std::optional<CollectiveKind> collective_kind_of(std::string_view name);

/// The same by the argument "Collective name", where sends and receives have names of their own;
/// NCCL runs them, as it does an all-to-all, by the kernel SendRecv.
std::optional<CollectiveKind> collective_kind_by_argument(std::string_view name);

/// Returns whether the collective sums values of its ranks (all-reduce, reduce-scatter).
bool reduces(std::optional<CollectiveKind> kind);

/// Returns whether the collective ends on all of its ranks at about the same time. A rank may leave
/// a broadcast, reduce or send early.
bool ends_together(CollectiveKind kind);

/// Whether this argument is that of one end of a message.
bool sends(std::string_view collective);
bool receives(std::string_view collective);

/// Whether a kernel of this name belongs to NCCL, RCCL, oneCCL or HCCL.
bool is_collective_kernel(std::string_view name);

/// Bytes of one element by PyTorch's name of the type ("Float", "c10::BFloat16"); 0 if unknown.
std::uint32_t element_size(std::string_view dtype);

}  // namespace stepcast
