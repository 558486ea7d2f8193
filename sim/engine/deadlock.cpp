// What the replayer says when it cannot go on: who waits for what.
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/plan_checks.hpp"
#include "sim/engine/replayer.hpp"

namespace stepcast {

std::string Replayer::describe_wait(std::uint32_t number, StepId step) const {
  const auto unfinished = [&](std::uint32_t iteration_number, StepId before) {
    for (const ClassId id : folding_.members[program_.steps[before].team])
      if (run_of(iterations_.at(iteration_number), before, id).end < Seconds{})
        return true;
    return false;
  };
  const auto& [same, next] = std::tie(program_.same, program_.next);
  for (StepId before = 0; before < program_.steps.size(); ++before) {
    for (auto i = same.offset[before]; i < same.offset[before + 1]; ++i)
      if (same.to[i] == step && unfinished(number, before))
        return describe(plan_, program_.steps[before].first);
    for (auto i = next.offset[before]; i < next.offset[before + 1]; ++i) {
      const std::uint32_t back = next.later[i];
      if (next.to[i] != step || number < iterations_.oldest() + back ||
          !unfinished(number - back, before))
        continue;
      return describe(plan_, program_.steps[before].first) +
             (back == 1 ? " of the iteration before" : fmt::format(" {} iterations before", back));
    }
  }
  return fmt::format("its turn on stream \"{}\"", plan_.streams[program_.steps[step].stream].name);
}

// The plan is no deadlock then: its numbers are beyond what the network model can tell apart.
void Replayer::report_endless() const {
  for (const auto& current : iterations_.kept())
    for (StepId step = 0; step < program_.steps.size(); ++step)
      for (const ClassId id : folding_.members[program_.steps[step].team]) {
        const StepRun& run = run_of(*current, step, id);
        if (program_.steps[step].is_communication() && run.start >= Seconds{} &&
            run.end < Seconds{})
          throw SimulationError(fmt::format(
              "{}: iteration {}, rank {}: {} began at {:.4g} s and never ended: its bytes, or the "
              "bandwidth of its links, are beyond what can be simulated",
              plan_.schedule, current->number, folding_.classes[id].representative,
              describe(plan_, program_.steps[step].first), run.start.value));
      }
}

void Replayer::report_deadlock() const {
  report_endless();
  for (const auto& current : iterations_.kept())
    for (StepId step = 0; step < program_.steps.size(); ++step)
      for (const ClassId id : folding_.members[program_.steps[step].team]) {
        if (run_of(*current, step, id).end >= Seconds{})
          continue;
        throw SimulationError(fmt::format(
            "deadlock in {}: iteration {}, rank {}: {} never ran; it waits for {}", plan_.schedule,
            current->number, folding_.classes[id].representative,
            describe(plan_, program_.steps[step].first), describe_wait(current->number, step)));
      }
  throw SimulationError(fmt::format("{}: nothing to run", plan_.schedule));
}

}  // namespace stepcast
