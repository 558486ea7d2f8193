#pragma once
// NCCL over all GPUs of all processes of a team. Where NCCL is not built in, making a communicator
// throws a HardwareError that says so.

#include <memory>
#include <string>
#include <vector>

#include "models/collective/collective.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/cuda/world/team.hpp"

namespace stepcast {

/// A GPU of this process and its place among the GPUs of all.
struct Member {
  Rank rank = 0;
  int device = 0;
};

bool has_nccl();
/// "2.28.9"; empty without NCCL.
std::string nccl_version();

#ifdef STEPCAST_HAS_NCCL

/// The communicators of this process's GPUs, for a group of ranks. Making one is a call that all
/// processes make together, whether they have members or not.
class Communicator {
 public:
  Communicator(const Group& group, const std::vector<Member>& members, ProcessTeam& team);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  bool has(std::size_t member) const;
  std::uint32_t size() const { return size_; }
  /// Place of the member in the group.
  std::uint32_t place(std::size_t member) const;

  /// One collective of `elements` floats (of the full buffer) on one member's buffers; calls for
  /// several members stand between begin() and end(). NCCL turns to the member's GPU itself;
  /// between the two nothing else may throw, as the group would stay open.
  void enqueue(std::size_t member, CollectiveKind kind, std::uint64_t elements, std::uint32_t root,
               const float* send, float* receive, const CudaStream& stream) const;
  static void begin();
  static void end();

  /// Waits for the stream. Throws HardwareError if NCCL reports that a peer or the network failed,
  /// after it has ended what waits for them on the GPU.
  void wait(const CudaStream& stream) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::uint32_t size_ = 0;
};

#else

/// Stands for the one above, and cannot be made.
class Communicator {
 public:
  Communicator(const Group& group, const std::vector<Member>& members, ProcessTeam& team);

  bool has(std::size_t /*member*/) const { return false; }
  std::uint32_t size() const { return 0; }
  std::uint32_t place(std::size_t /*member*/) const { return 0; }
  void enqueue(std::size_t /*member*/, CollectiveKind /*kind*/, std::uint64_t /*elements*/,
               std::uint32_t /*root*/, const float* /*send*/, float* /*receive*/,
               const CudaStream& /*stream*/) const {}
  static void begin() {}
  static void end() {}
  void wait(const CudaStream& /*stream*/) const {}
};

#endif

}  // namespace stepcast
