#include "sim/forecast/edges.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/cost_estimate.hpp"
#include "sim/forecast/effects.hpp"

namespace stepcast {
namespace {

constexpr double kChange = 0.01;
constexpr double kNotedMove = 0.02;
constexpr Seconds kShort{0.05};  // of each of the four simulations

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

void add_edges(ScheduleRun& run, const Scenario& scenario) {
  const bool by_chance =
      scenario.engine.slow_down.is_chance() || run.forecast.protocol.iterations_per_s != 0;
  if (by_chance || !is_cheap(scenario.engine, scenario.cluster) ||
      cost_estimate(run.plan, scenario.cluster, run.engine).time > kShort)
    return;
  for (const Input& input : kInputs)
    for (const double change : {-kChange, kChange}) {
      Scenario other = scenario;
      input.scale(other, 1 + change);
      const Seconds moved =
          step_time_of(planned(other, run.forecast.schedule).plan, other.cluster, other.engine);
      const double by = moved / run.forecast.iteration_time - 1;
      if (std::abs(by) > kNotedMove)
        run.forecast.notes.push_back(
            {NoteKind::Scope, input.name,
             fmt::format("At an edge: {} {:+.0f} % would make the step {} ({:+.1f} %).", input.name,
                         100 * change, format_seconds(moved), 100 * by)});
    }
}

bool decides_in_cycles(const Plan& plan) {
  return std::ranges::any_of(plan.streams, [](const Stream& stream) {
    return std::holds_alternative<Negotiated>(stream.rule);
  });
}

}  // namespace stepcast
