// What the replayer says when it cannot go on: who waits for what.
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/replayer.hpp"

namespace stepcast {
namespace {

std::string describe(const Plan& plan, const ProgramStep& step) {
  const Task& task = plan.graph.task(step.first);
  const std::string& label = plan.labels[task.label];
  switch (task.kind) {
    case TaskKind::Forward:
      return fmt::format("forward of {}", label);
    case TaskKind::Backward:
      return fmt::format("backward of {}", label);
    case TaskKind::Update:
    case TaskKind::OtherCompute:
      return fmt::format("compute \"{}\"", label);
    case TaskKind::Communication:
      return fmt::format("{} \"{}\"", name_of(plan.collectives[task.collective].collective.kind),
                         label);
  }
  return label;
}

}  // namespace

std::string Replayer::describe_wait(std::uint32_t number, StepId step) const {
  const auto unfinished = [&](std::uint32_t iteration_number, StepId before) {
    for (const ClassId id : folding_.members[program_.steps[before].group])
      if (at(iteration_number).intervals[before * program_.classes + id].end < Seconds{})
        return true;
    return false;
  };
  for (StepId before = 0; before < program_.steps.size(); ++before) {
    for (auto i = program_.same.offset[before]; i < program_.same.offset[before + 1]; ++i)
      if (program_.same.to[i] == step && unfinished(number, before))
        return describe(plan_, program_.steps[before]);
    for (auto i = program_.next.offset[before]; i < program_.next.offset[before + 1]; ++i)
      if (program_.next.to[i] == step && number > oldest_ && unfinished(number - 1, before))
        return describe(plan_, program_.steps[before]) + " of the iteration before";
  }
  return fmt::format("its turn on stream \"{}\"", plan_.streams[program_.steps[step].stream].name);
}

void Replayer::report_deadlock() const {
  for (const Iteration& current : iterations_)
    for (StepId step = 0; step < program_.steps.size(); ++step)
      for (const ClassId id : folding_.members[program_.steps[step].group]) {
        if (current.intervals[step * program_.classes + id].end >= Seconds{})
          continue;
        throw SimulationError(fmt::format(
            "deadlock in {}: iteration {}, rank {}: {} never ran; it waits for {}", plan_.schedule,
            current.number, folding_.classes[id].representative,
            describe(plan_, program_.steps[step]), describe_wait(current.number, step)));
      }
  throw SimulationError(fmt::format("{}: nothing to run", plan_.schedule));
}

}  // namespace stepcast
