#include "sim/study/sweep/inputs_key.hpp"

#include <fmt/format.h>

#include "models/base/fields.hpp"
#include "models/workload/device_costs.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast {

// What no file of a workload or cluster holds: laws of slow-downs, recorded ones with their steps.

auto fields_of(Is<SlowDown::Sharing> auto& sharing) {
  auto& [unit, once] = sharing;
  return std::tie(unit, once);
}

auto fields_of(Is<SlowDown::Fixed> auto& law) {
  auto& [rank, factor] = law;
  return std::tie(rank, factor);
}

auto fields_of(Is<SlowDown::Bernoulli> auto& law) {
  auto& [factor, probability, sharing] = law;
  return std::tie(factor, probability, sharing);
}

auto fields_of(Is<SlowDown::LogNormal> auto& law) {
  auto& [sigma, sharing] = law;
  return std::tie(sigma, sharing);
}

auto fields_of(Is<SlowDown::Exponential> auto& law) {
  auto& [mean, sharing] = law;
  return std::tie(mean, sharing);
}

auto fields_of(Is<SlowDown::Pareto> auto& law) {
  auto& [alpha, sharing] = law;
  return std::tie(alpha, sharing);
}

auto fields_of(Is<SlowDown::Episodes> auto& law) {
  auto& [factor, every, least, most, sharing] = law;
  return std::tie(factor, every, least, most, sharing);
}

auto fields_of(Is<SlowDown::Recorded> auto& law) {
  auto& [steps, origin, stages] = law;
  return std::tie(steps, origin, stages);
}

auto fields_of(Is<SlowDown> auto& slow) {
  auto& [laws, seed, ranks_per_node, transfers] = slow;
  return std::tie(laws, seed, ranks_per_node, transfers);
}

std::string head_of_inputs(const ScheduledJob& job) {
  return fmt::format("{}\n{}\n{}\n", STEPCAST_VERSION, to_json_text(job.workload),
                     to_json_text(job.cluster));
}

std::string rest_of_inputs(const ScheduledJob& job) {
  std::string all = fmt::format("{}\n{}\n{}\n", job.schedule, name_of(job.engine.fidelity),
                                name_of(job.engine.engine));
  if (job.cluster.measured && !job.cluster.measured->curves.empty())
    all += to_json_text(*job.cluster.measured);
  for (const auto& [name, value] : job.options)
    all += fmt::format("{}={}\n", name, value);
  for (const auto& [rank, factor] : job.engine.stragglers)
    all += fmt::format("straggler.{}={}\n", rank, factor);
  return all + bytes_of(job.engine.slow_down) + bytes_of_device_costs(job.workload);
}

std::string inputs_text(const ScheduledJob& job) {
  return head_of_inputs(job) + rest_of_inputs(job);
}

}  // namespace stepcast
