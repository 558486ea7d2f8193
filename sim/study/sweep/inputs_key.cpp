#include "sim/study/sweep/inputs_key.hpp"

#include <fmt/format.h>

#include "models/base/mix.hpp"
#include "traces/readers/stepcast/cluster_writer.hpp"
#include "traces/readers/stepcast/collectives_file.hpp"
#include "traces/readers/stepcast/workload_writer.hpp"

namespace stepcast {

std::string inputs_text(const TuningJob& job) {
  std::string all =
      fmt::format("{}\n{}\n{}\n{}\n{}\n", STEPCAST_VERSION, to_json_text(job.workload),
                  to_json_text(job.cluster), job.schedule, name_of(job.engine.fidelity));
  if (job.cluster.measured && !job.cluster.measured->curves.empty())
    all += to_json_text(*job.cluster.measured);
  for (const auto& [name, value] : job.options)
    all += fmt::format("{}={}\n", name, value);
  for (const auto& [rank, factor] : job.engine.stragglers)
    all += fmt::format("straggler.{}={}\n", rank, factor);
  return all;
}

std::string key_of_text(std::string_view text) {
  std::uint64_t hash = 1;
  for (const char c : text)
    hash = mixed(hash, static_cast<unsigned char>(c));
  return fmt::format("{:016x}", hash);
}

}  // namespace stepcast
