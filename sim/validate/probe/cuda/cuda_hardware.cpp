#include <algorithm>

#include <fmt/format.h>

#include "sim/validate/probe/cuda/collectives.hpp"
#include "sim/validate/probe/cuda/machine.hpp"
#include "sim/validate/probe/cuda/on_device.hpp"
#include "sim/validate/probe/cuda/overlap.hpp"
#include "sim/validate/probe/cuda/probes.hpp"
#include "sim/validate/probe/cuda/replay.hpp"
#include "sim/validate/probe/hardware.hpp"
#include "sim/validate/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr const char* kStillWorks = "; --dry-run, and stepcast validate on recorded results, work";

/// GPUs that this process sees, or why it sees none.
struct Visible {
  int count = 0;
  std::string missing;
};

Visible visible_gpus() {
  Visible visible;
  const cudaError_t status = cudaGetDeviceCount(&visible.count);
  if (status == cudaErrorInsufficientDriver)
    visible.missing = "no NVIDIA driver, or one too old for this build";
  else if (status == cudaErrorNoDevice || (status == cudaSuccess && visible.count == 0))
    visible.missing = "no GPU";
  else if (status != cudaSuccess)
    visible.missing = cudaGetErrorString(status);
  if (!visible.missing.empty())
    visible.count = 0;
  return visible;
}

/// What keeps this process from working, or "".
std::string missing_here(const Visible& visible, const Team& team,
                         std::optional<std::uint32_t> gpus) {
  if (!visible.missing.empty())
    return visible.missing + kStillWorks;
  if (team.size() > 1) {
    if (team.rank_on_node() >= static_cast<std::uint32_t>(visible.count))
      return fmt::format("more MPI ranks on a node than its {} GPUs; start one for each GPU",
                         visible.count);
    if (gpus && *gpus != team.size())
      return fmt::format("--gpus {}: MPI started {} ranks, one for each GPU", *gpus, team.size());
  } else if (gpus && *gpus > static_cast<std::uint32_t>(visible.count)) {
    return fmt::format("--gpus {}: this machine has {} GPU{}; without --gpus all are used", *gpus,
                       visible.count, visible.count == 1 ? "" : "s");
  }
  return "";
}

std::vector<Member> members_of(const Visible& visible, const Team& team,
                               std::optional<std::uint32_t> gpus) {
  if (team.size() > 1)
    return {{.rank = team.rank(), .device = static_cast<int>(team.rank_on_node())}};
  std::vector<Member> members;
  const std::uint32_t count = gpus.value_or(static_cast<std::uint32_t>(visible.count));
  for (std::uint32_t i = 0; i < count; ++i)
    members.push_back({.rank = i, .device = static_cast<int>(i)});
  return members;
}

bool reach_each_other(const std::vector<Member>& members) {
  int can = 0;
  if (members.size() > 1)
    check(cudaDeviceCanAccessPeer(&can, members[0].device, members[1].device), "the peers");
  return can != 0;
}

class CudaHardware final : public Hardware {
 public:
  CudaHardware(std::unique_ptr<Team> team, std::vector<Member> members)
      : team_(std::move(team)), communicators_(std::move(members), *team_) {
    check(cudaSetDevice(this->members().front().device), "the GPU");
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "the GPU's memory");
    machine_ = machine_of_device();
    machine_.gpus = gpus();
    machine_.nodes = team_->nodes();
    limits_ = {.gpus = gpus(),
               .nodes = team_->nodes(),
               .peers = reach_each_other(this->members()),
               .fixed_ranks = team_->size() > 1,
               .memory = {-team_->largest(-static_cast<double>(free))}};
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

  KernelPoint measure(const KernelShape& shape, const Effort& effort) override {
    if (is_collective(shape.family))
      return measure_collective(shape, effort, communicators_);
    if (is_overlap(shape.family))
      return measure_overlap(shape, effort, communicators_);
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

  /// Of all processes.
  std::uint32_t gpus() const {
    return team_->size() > 1 ? team_->size() : static_cast<std::uint32_t>(members().size());
  }

  std::unique_ptr<Team> team_;
  CommunicatorCache communicators_;
  Machine machine_;
  MachineLimits limits_;
};

}  // namespace

std::unique_ptr<Hardware> open_hardware(std::optional<std::uint32_t> gpus) {
  std::unique_ptr<Team> team = make_team();
  const Visible visible = visible_gpus();
  const std::string missing = missing_here(visible, *team, gpus);
  if (team->largest(missing.empty() ? 0 : 1) > 0) {
    // One line for all ranks: of the first, or that another one lacks something.
    team->stop_together();
    if (team->rank() > 0)
      throw HardwareError("");
    throw HardwareError(missing.empty() ? "an MPI rank on another node has no GPU of its own"
                                        : missing);
  }
  std::vector<Member> members = members_of(visible, *team, gpus);
  return std::make_unique<CudaHardware>(std::move(team), std::move(members));
}

}  // namespace stepcast
