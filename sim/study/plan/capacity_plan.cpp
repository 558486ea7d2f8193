#include "sim/study/plan/capacity_plan.hpp"

#include <algorithm>

#include "models/base/error.hpp"
#include "sim/study/plan/checked_errors.hpp"
#include "sim/study/plan/improve.hpp"
#include "sim/study/plan/outlook.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kWithReasons = 10;
constexpr std::size_t kMostNotes = 8;

/// What the forecasts of the best say of themselves, once.
void add_notes(CapacityPlan& plan) {
  const PlanChoice& best = plan.choices.front();
  for (const Note& note : best.forecast.notes)
    if (plan.space.notes.size() < kMostNotes)
      plan.space.notes.push_back(note.text);
}

/// Of the deadline, by the checked cases of the choice's family.
void add_chances(CapacityPlan& plan) {
  const std::optional<Seconds> deadline = plan.space.request.deadline;
  if (!deadline)
    return;
  constexpr double kHour = 3600;
  const std::vector<CheckedErrors> families = load_checked_errors();
  for (PlanChoice& choice : plan.choices) {
    const bool cuts = plan.space.schedules[choice.trial.schedule].cuts;
    const auto errors =
        std::ranges::find(families, cuts ? "layouts" : "data-parallel", &CheckedErrors::family);
    if (choice.fits && errors != families.end())
      choice.chance = chance_within(*errors, deadline->value / (choice.hours * kHour));
  }
}

/// A signal takes away what would be if, never what is there.
void add_outlook(CapacityPlan& plan, std::uint32_t workers, const std::function<void()>& finished) {
  try {
    if (stop_signal() == 0 || !plan.choices.front().fits)
      plan.outlook = outlook_of(plan, workers, finished);
  } catch (const Stopped&) {  // told below
  }
  if (stop_signal() != 0)
    plan.outlook.insert(plan.outlook.begin(),
                        "Stopped by a signal: what was not simulated by then may be better.");
}

[[noreturn]] void refuse(const CapacityPlan& plan) {
  if (stop_signal() != 0)
    throw Stopped(stop_signal());
  const auto commonest =
      std::ranges::max_element(plan.refused, {}, [](const auto& each) { return each.second; });
  throw InputError(commonest == plan.refused.end()
                       ? std::string("no candidate can be simulated")
                       : "every candidate is refused; most often: " + commonest->first);
}

}  // namespace

CapacityPlan find_plan(const PlanRequest& request, std::uint32_t workers,
                       const std::function<void()>& finished) {
  const StopsBetweenJobs stops;
  CapacityPlan plan =
      search_plan(plan_space_of(request), workers, request.most_simulated, finished);
  if (plan.choices.empty())
    refuse(plan);
  if (plan.choices.front().fits) {
    if (request.improve)
      improve_plan(plan, workers, finished);
    find_memory_front(plan, workers, finished);
    plan.changes = find_changes(plan, workers, finished);
  }
  add_chances(plan);
  add_outlook(plan, workers, finished);
  add_reasons(plan, kWithReasons);
  add_notes(plan);
  return plan;
}

}  // namespace stepcast
