#include "sim/probe/launcher.hpp"

#include <cstdlib>
#include <optional>

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

}  // namespace

Launcher launcher_of_environment() {
  for (const Variables& known : kKnown)
    if (const auto rank = number_in(known.rank))
      return {.rank = *rank, .ranks = number_in(known.ranks).value_or(0)};
  return {};
}

}  // namespace stepcast
