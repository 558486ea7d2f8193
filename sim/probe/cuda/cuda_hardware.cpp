#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/probe/cuda/collectives.hpp"
#include "sim/probe/cuda/gemm.hpp"
#include "sim/probe/cuda/machine.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/cuda/replay/replay.hpp"
#include "sim/probe/hardware.hpp"
#include "sim/probe/hardware_error.hpp"
#include "sim/probe/launcher.hpp"

namespace stepcast {
namespace {

constexpr Seconds kFirstWarmUp{0.5};  // an idle GPU takes a while to raise its clocks
constexpr Seconds kWarmUp{5e-3};      // after the host has checked an output
constexpr int kMissingHardware = 3;   // exit code

GpuView view_of(const ProcessTeam& team) {
  GpuView view{.ranks = team.size(), .rank_on_node = team.rank_on_node()};
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver)
    view.problem = "no NVIDIA driver, or one too old for this build";
  else if (status != cudaSuccess && status != cudaErrorNoDevice)
    view.problem = cudaGetErrorString(status);
  else
    view.gpus = static_cast<std::uint32_t>(std::max(0, count));
  return view;
}

/// The GPUs of this process: one under MPI.
std::vector<Member> members_of(const GpuView& view, const ProcessTeam& team,
                               std::optional<std::uint32_t> asked) {
  if (team.size() > 1)
    return {{.rank = team.rank(), .device = static_cast<int>(first_gpu(view))}};
  std::vector<Member> members;
  for (std::uint32_t i = 0; i < asked.value_or(view.gpus); ++i)
    members.push_back({.rank = i, .device = static_cast<int>(i)});
  return members;
}

/// Tells the GPUs of a node apart, whatever part of them a process sees; `missing` says why not.
std::uint64_t key_of(int device, std::string& missing) {
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess)
    missing = cudaGetErrorString(status);
  std::uint64_t key = 0;
  for (const char byte : properties.uuid.bytes)
    key = key * 257 + static_cast<unsigned char>(byte);
  return key;
}

Bytes free_memory(const std::vector<Member>& members) {
  Bytes least{INFINITY};
  for (const Member& member : members) {
    const OnDevice current(member.device);
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "the GPU's memory");
    least = std::min(least, Bytes{static_cast<double>(free)});
  }
  return least;
}

bool reach_each_other(const std::vector<Member>& members) {
  int can = 0;
  if (members.size() > 1)
    check(cudaDeviceCanAccessPeer(&can, members[0].device, members[1].device), "the peers");
  return can != 0;
}

class CudaHardware final : public Hardware {
 public:
  CudaHardware(std::unique_ptr<ProcessTeam> team, std::vector<Member> members)
      : team_(std::move(team)), communicators_(std::move(members), *team_) {
    try {
      prepare();
    } catch (const HardwareError& error) {
      team_->give_up(error.what(), kMissingHardware);
      throw;
    }
  }

  Machine machine() const override { return machine_; }
  MachineLimits limits() const override { return limits_; }
  bool reports() const override { return team_->rank() == 0; }

  std::string missing_for(ProbeKind kind) const override {
    const bool needs_nccl =
        kind == ProbeKind::Collectives || (kind == ProbeKind::Overlap && gpus() > 1);
    return needs_nccl && !has_nccl()
               ? "built without NCCL: collectives cannot be measured; the other probes work"
               : "";
  }

  void give_up(const std::string& why, int exit_code) noexcept override {
    team_->give_up(why, exit_code);
  }

  KernelPoint measure(const KernelShape& shape, const Effort& effort) override {
    if (is_collective(shape.family))
      return measure_collective(shape, effort, communicators_);
    if (is_overlap(shape.family))
      return measure_overlap(shape, effort, communicators_);
    // Ranks of a node share the host's memory and its links: only one measures at a time.
    return reports() ? measure_alone(shape, effort) : KernelPoint{.shape = shape};
  }

  std::vector<Rank> local_ranks() const override {
    std::vector<Rank> ranks;
    for (const Member& member : members())
      ranks.push_back(member.rank);
    return ranks;
  }

  ReplayCalibration calibrate() override { return calibrate_replay(); }

  ReplayMeasurement replay(const ExportedPlan& plan, const std::vector<ReplayProgram>& programs,
                           std::uint32_t iterations) override {
    return replay_on_cuda(plan, programs, members(), *team_, iterations);
  }

 private:
  const std::vector<Member>& members() const { return communicators_.members(); }

  void prepare() {
    check(cudaSetDevice(members().front().device), "the GPU");
    machine_ = machine_of_device();
    machine_.gpus = gpus();
    machine_.nodes = team_->nodes();
    limits_ = {.gpus = gpus(),
               .nodes = team_->nodes(),
               .peers = reach_each_other(members()),
               .fixed_ranks = team_->size() > 1,
               .memory = {-team_->largest(-free_memory(members()).value)}};
    for (const Member& member : members()) {
      const OnDevice current(member.device);
      ClockRaiser().run(kFirstWarmUp);
    }
  }

  KernelPoint measure_alone(const KernelShape& shape, const Effort& effort) {
    if (!clocks_)
      clocks_.emplace();
    clocks_->run(kWarmUp);
    switch (shape.family) {
      case KernelFamily::GemmFp32:
      case KernelFamily::GemmTf32:
      case KernelFamily::GemmBf16:
        return measure_gemm(shape, effort);
      case KernelFamily::Inverse:
        return measure_inverse(shape, effort);
      case KernelFamily::CopyDevice:
      case KernelFamily::CopyToDevice:
      case KernelFamily::CopyFromDevice:
      case KernelFamily::CopyPeer:
        return measure_copy(shape, effort, members()[members().size() > 1 ? 1 : 0].device);
      default:
        return measure_selection(shape, effort);
    }
  }

  /// Of all processes.
  std::uint32_t gpus() const {
    return team_->size() > 1 ? team_->size() : static_cast<std::uint32_t>(members().size());
  }

  std::unique_ptr<ProcessTeam> team_;
  CommunicatorCache communicators_;
  Machine machine_;
  MachineLimits limits_;
  std::optional<ClockRaiser> clocks_;
};

/// One line for all ranks: of the first, or that another one lacks something.
void refuse_together(const std::string& missing, ProcessTeam& team) {
  if (team.largest(missing.empty() ? 0 : 1) == 0)
    return;
  if (team.rank() > 0)
    throw HardwareError("");
  throw HardwareError(missing.empty() ? "an MPI rank on another node has no GPU of its own"
                                      : missing);
}

}  // namespace

std::unique_ptr<Hardware> open_hardware(std::optional<std::uint32_t> gpus) {
  std::unique_ptr<ProcessTeam> team = make_team();
  const GpuView view = view_of(*team);
  std::string missing = missing_gpus(view, gpus);
  std::vector<Member> members = members_of(view, *team, gpus);
  const std::uint64_t key = missing.empty() ? key_of(members.front().device, missing) : 0;
  refuse_together(missing, *team);
  if (!team->all_differ_on_node(key))
    missing = "several MPI ranks of a node see the same GPU; start one for each GPU";
  refuse_together(missing, *team);
  return std::make_unique<CudaHardware>(std::move(team), std::move(members));
}

}  // namespace stepcast
