#include "sim/probe/launcher.hpp"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace stepcast {
namespace {

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0')
    return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

struct Variables {
  const char* rank;
  const char* ranks;
};

constexpr Variables kKnown[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                {"PMI_RANK", "PMI_SIZE"},
                                {"PMIX_RANK", "SLURM_NTASKS"}};

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

Launcher launcher_of_environment() {
  for (const Variables& known : kKnown)
    if (const auto rank = number_in(known.rank))
      return {.rank = *rank, .ranks = number_in(known.ranks).value_or(0)};
  return {};
}

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
