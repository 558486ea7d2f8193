#include "sim/cli/study/sensitivity.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/effects.hpp"

namespace stepcast {
namespace {

constexpr double kChange = 0.01;
constexpr double kNotedMove = 0.02;
constexpr std::size_t kMostRuns = 20'000;

void scale_bandwidths(Scenario& scenario, double factor) {
  for (Link* link : {&scenario.cluster.intra_node, &scenario.cluster.nic})
    link->bandwidth = link->bandwidth * factor;
}

void scale_layers(Scenario& scenario, double factor) {
  scenario.workload.update = scenario.workload.update * factor;
  for (Layer& layer : scenario.workload.layers) {
    layer.forward = layer.forward * factor;
    layer.backward = layer.backward * factor;
  }
}

struct Input {
  const char* name;
  void (*scale)(Scenario&, double);
};
constexpr Input kInputs[] = {{"bandwidths", scale_bandwidths}, {"layer times", scale_layers}};

}  // namespace

std::vector<std::string> edges_of(const Scenario& scenario, const std::string& schedule,
                                  Seconds iteration_time, std::size_t runs) {
  std::vector<std::string> notes;
  if (!is_cheap(scenario) || runs > kMostRuns)
    return notes;
  for (const Input& input : kInputs)
    for (const double change : {-kChange, kChange}) {
      Scenario other = scenario;
      input.scale(other, 1 + change);
      const Seconds moved =
          step_time_of(planned(other, schedule).plan, other.cluster, other.engine);
      if (std::abs(moved / iteration_time - 1) > kNotedMove)
        notes.push_back(fmt::format("At an edge: {} {:+.0f} % would make the step {} ({:+.1f} %).",
                                    input.name, 100 * change, format_seconds(moved),
                                    100 * (moved / iteration_time - 1)));
    }
  return notes;
}

}  // namespace stepcast
