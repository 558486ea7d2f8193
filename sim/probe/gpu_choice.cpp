#include "sim/probe/gpu_choice.hpp"

#include <fmt/format.h>

namespace stepcast {
namespace {

constexpr const char* kStillWorks = "; --dry-run, and stepcast validate on recorded results, work";

std::string missing_under_mpi(const GpuView& view, std::optional<std::uint32_t> asked) {
  if (view.gpus > 1 && view.rank_on_node >= view.gpus)
    return fmt::format("more MPI ranks on a node than its {} GPUs; start one for each GPU",
                       view.gpus);
  if (asked && *asked != view.ranks)
    return fmt::format("--gpus {}: MPI started {} ranks, one for each GPU", *asked, view.ranks);
  return "";
}

}  // namespace

std::string missing_gpus(const GpuView& view, std::optional<std::uint32_t> asked) {
  if (!view.problem.empty())
    return view.problem + kStillWorks;
  if (view.gpus == 0)
    return std::string("no GPU") + kStillWorks;
  if (view.ranks > 1)
    return missing_under_mpi(view, asked);
  if (asked && *asked > view.gpus)
    return fmt::format("--gpus {}: this machine has {} GPU{}; without --gpus all are used", *asked,
                       view.gpus, view.gpus == 1 ? "" : "s");
  return "";
}

std::uint32_t first_gpu(const GpuView& view) {
  return view.ranks > 1 && view.gpus > 1 ? view.rank_on_node : 0;
}

}  // namespace stepcast
