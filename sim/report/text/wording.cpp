#include "sim/report/text/wording.hpp"

#include <fmt/format.h>

#include "sim/report/text/table.hpp"

namespace stepcast {

std::string gpus_in_words(std::uint32_t count) {
  return fmt::format("{} GPU{}", count, count == 1 ? "" : "s");
}

std::string setup_of(std::string_view workload, std::string_view cluster, std::uint32_t nodes,
                     std::uint32_t gpus_per_node) {
  return fmt::format("{} on {}, {} ({} x {})", workload, cluster,
                     gpus_in_words(nodes * gpus_per_node), nodes, gpus_per_node);
}

std::string setup_of(std::string_view workload, const Cluster& cluster, Fidelity fidelity) {
  return fmt::format("{}, {} fidelity",
                     setup_of(workload, cluster.name, cluster.nodes, cluster.gpus_per_node),
                     name_of(fidelity));
}

std::string list_of(std::string_view heading, const std::vector<std::string>& sentences) {
  if (sentences.empty())
    return "";
  std::string text = fmt::format("\n{}\n", heading);
  for (const std::string& sentence : sentences)
    text += wrap(fmt::format("- {}", sentence), 2);
  return text;
}

}  // namespace stepcast
