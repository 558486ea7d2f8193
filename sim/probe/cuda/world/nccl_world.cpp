#include "sim/probe/cuda/world/nccl_world.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sim/probe/hardware_error.hpp"

#ifdef STEPCAST_HAS_NCCL
#include <nccl.h>
#endif

namespace stepcast {

#ifdef STEPCAST_HAS_NCCL

namespace {

void check_nccl(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw HardwareError(fmt::format("NCCL, {}: {} ({})", what, ncclGetErrorString(result),
                                    ncclGetLastError(nullptr)));
}

/// Every pair of members exchanges its share: NCCL's all-to-all as grouped sends and receives.
void exchange(const float* send, float* receive, std::uint64_t share, std::uint32_t ranks,
              ncclComm_t communicator, cudaStream_t stream) {
  for (std::uint32_t peer = 0; peer < ranks; ++peer) {
    const auto other = static_cast<int>(peer);
    check_nccl(ncclSend(send + peer * share, share, ncclFloat, other, communicator, stream),
               "send");
    check_nccl(ncclRecv(receive + peer * share, share, ncclFloat, other, communicator, stream),
               "receive");
  }
}

}  // namespace

bool has_nccl() {
  return true;
}

std::string nccl_version() {
  int version = 0;
  check_nccl(ncclGetVersion(&version), "version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

struct Communicator::Handles {
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    // After an error peers may be gone, for whom ncclCommDestroy would wait for ever.
    if (std::uncaught_exceptions() > 0)
      abort();
    for (ncclComm_t each : of_member)
      if (each != nullptr)
        ncclCommDestroy(each);
  }

  void abort() {
    for (ncclComm_t& each : of_member)
      if (ncclComm_t failed = std::exchange(each, nullptr); failed != nullptr)
        ncclCommAbort(failed);
  }

  std::vector<ncclComm_t> of_member;  // null where the member is not of the group
  std::vector<std::uint32_t> place;
};

Communicator::Communicator(const Group& group, const std::vector<Member>& members,
                           ProcessTeam& team)
    : handles_(std::make_unique<Handles>()), size_(group.size()) {
  ncclUniqueId id{};
  if (team.rank() == 0)
    check_nccl(ncclGetUniqueId(&id), "an id");
  team.broadcast(&id, sizeof(id));
  int before = 0;
  check(cudaGetDevice(&before), "the current device");
  // NCCL writes the handles at the end of its group: the vector must not move until then.
  handles_->of_member.assign(members.size(), nullptr);
  check_nccl(ncclGroupStart(), "a communicator");
  ncclResult_t made = ncclSuccess;  // the group is ended whatever becomes of it
  for (const Member& member : members) {
    const auto found = std::ranges::find(group.ranks, member.rank);
    const std::size_t index = handles_->place.size();
    handles_->place.push_back(static_cast<std::uint32_t>(found - group.ranks.begin()));
    if (found == group.ranks.end() || made != ncclSuccess)
      continue;
    check(cudaSetDevice(member.device), "a device");
    made = ncclCommInitRank(&handles_->of_member[index], static_cast<int>(size_), id,
                            static_cast<int>(handles_->place.back()));
  }
  const ncclResult_t ended = ncclGroupEnd();
  check_nccl(made, "a communicator");
  check_nccl(ended, "a communicator");
  check(cudaSetDevice(before), "a device");
  team.barrier();
}

Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

bool Communicator::has(std::size_t member) const {
  return handles_->of_member[member] != nullptr;
}

std::uint32_t Communicator::place(std::size_t member) const {
  return handles_->place[member];
}

void Communicator::begin() {
  check_nccl(ncclGroupStart(), "a group");
}

void Communicator::end() {
  check_nccl(ncclGroupEnd(), "a group");
}

void Communicator::wait(const CudaStream& stream) const {
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaStreamQuery(stream.get())) == cudaErrorNotReady) {
    cudaGetLastError();  // else the next kernel would report it
    for (ncclComm_t each : handles_->of_member) {
      ncclResult_t state = ncclSuccess;
      if (each == nullptr)
        continue;
      check_nccl(ncclCommGetAsyncError(each, &state), "a communicator");
      if (state == ncclSuccess || state == ncclInProgress)
        continue;
      handles_->abort();
      check_nccl(state, "a peer or the network failed");
    }
    std::this_thread::yield();
  }
  check(status, "a collective");
}

void Communicator::enqueue(std::size_t member, CollectiveKind kind, std::uint64_t elements,
                           std::uint32_t root, const float* send, float* receive,
                           const CudaStream& stream) const {
  ncclComm_t communicator = handles_->of_member[member];
  const std::uint64_t share = elements / size_;
  const auto from = static_cast<int>(root);
  switch (kind) {
    case CollectiveKind::AllReduce:
      return check_nccl(
          ncclAllReduce(send, receive, elements, ncclFloat, ncclSum, communicator, stream.get()),
          "all-reduce");
    case CollectiveKind::ReduceScatter:
      return check_nccl(
          ncclReduceScatter(send, receive, share, ncclFloat, ncclSum, communicator, stream.get()),
          "reduce-scatter");
    case CollectiveKind::AllGather:
      return check_nccl(ncclAllGather(send, receive, share, ncclFloat, communicator, stream.get()),
                        "all-gather");
    case CollectiveKind::Broadcast:
      return check_nccl(
          ncclBroadcast(send, receive, elements, ncclFloat, from, communicator, stream.get()),
          "broadcast");
    case CollectiveKind::Reduce:
      return check_nccl(
          ncclReduce(send, receive, elements, ncclFloat, ncclSum, from, communicator, stream.get()),
          "reduce");
    case CollectiveKind::AllToAll:
      return exchange(send, receive, share, size_, communicator, stream.get());
    case CollectiveKind::Send:
      throw HardwareError("sends between neighbours cannot be replayed");  // refused before
  }
}

#else

bool has_nccl() {
  return false;
}

std::string nccl_version() {
  return "";
}

Communicator::Communicator(const Group& /*group*/, const std::vector<Member>& /*members*/,
                           ProcessTeam& /*team*/) {
  throw HardwareError("built without NCCL: collectives cannot be measured; the other probes work");
}

#endif

}  // namespace stepcast
