#include "sim/search/step_in_hand.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/workers/simulation_killed.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {

void require_time(Seconds step) {
  constexpr Seconds kMost{1e12};
  if (!(step <= kMost))
    throw InputError(fmt::format("the step would take {:.3g} s: expected at most {:.0e} s",
                                 step.value, kMost.value));
  if (!(step > Seconds{}))
    throw InputError("the step would take no time: expected something left that does");
}

StepInHand::StepInHand(EditableStep step, EditedStep& result)
    : step_(std::move(step)), result_(result) {
  if (!step_.timed)
    ++result_.simulated;
  now_ = step_.timed ? *std::exchange(step_.timed, {}) : step_.time(step_.graphs);
  if (!(result_.step_before > Seconds{}))
    result_.step_before = now_.step;
  result_.step_after = now_.step;
  result_.gpus_after = result_.gpus;
  result_.notes = step_.notes;
}

TimedStep StepInHand::timed(const std::vector<WorkGraph>& graphs) try {
  ++result_.simulated;
  TimedStep changed = step_.time(graphs);
  require_time(changed.step);
  return changed;
} catch (const SimulationKilled&) {
  throw;  // says nothing about the change
} catch (const SimulationError& error) {
  throw InputError(error.what());
}

bool StepInHand::promises(const std::vector<WorkGraph>& graphs) {
  if (!step_.estimate)
    return true;
  result_.replayed += 2;
  return step_.estimate(graphs).step < step_.estimate(step_.graphs).step;
}

bool StepInHand::is_shorter(Seconds step) const {
  constexpr double kRounding = 1e-9;
  return step < now_.step * (1 - kRounding);
}

void StepInHand::accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
                        TimedStep changed) {
  result_.accepted.push_back(
      {.kind = kind, .text = text, .gain = now_.step - changed.step, .step = changed.step});
  step_.graphs = std::move(graphs);
  now_ = std::move(changed);
  result_.step_after = now_.step;
}

void StepInHand::accept_size(const std::string& text, std::uint32_t gpus,
                             std::vector<WorkGraph> graphs, TimedStep changed) {
  accept(EditKind::Asked, text, std::move(graphs), std::move(changed));
  result_.accepted.back().gain = {};
  result_.accepted.back().gpus = result_.gpus_after = gpus;
}

bool StepInHand::try_recipe(const char* recipe) {
  if (stop_signal() != 0)
    return false;
  try {
    auto graphs = edited(step_.graphs, edit_request_of(recipe, {}), step_);
    ++result_.tried;
    if (are_same_work(graphs, step_.graphs) || !promises(graphs))
      return false;
    TimedStep changed = timed(graphs);
    const bool gains = is_shorter(changed.step);
    if (gains)
      accept(EditKind::Recipe, recipe, std::move(graphs), std::move(changed));
    return gains;
  } catch (const InputError&) {
    return false;
  }
}

void StepInHand::go_back_to(const Reached& reached) {
  step_.graphs = reached.graphs;
  now_ = reached.now;
  result_.accepted = reached.accepted;
  result_.step_after = now_.step;
}

}  // namespace stepcast
