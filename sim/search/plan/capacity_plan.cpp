#include "sim/search/plan/capacity_plan.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/search/plan/checked_errors.hpp"
#include "sim/search/plan/outlook.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kWithReasons = 10;
constexpr std::size_t kMostNotes = 8;

std::uint32_t most_simulated(const PlanSpace& space) {
  constexpr std::size_t kUsual = 200;
  if (space.request.most_simulated > 0)
    return space.request.most_simulated;
  return static_cast<std::uint32_t>(std::max(kUsual, 2 * space.sites.size()));
}

/// What nobody looked at, and why: the best may be among it.
void add_gaps(CapacityPlan& plan) {
  constexpr std::size_t kMostReasons = 3;
  if (plan.open > 0)
    plan.space.notes.push_back(fmt::format(
        "{} candidates were left open when as many were simulated as allowed: the best may be "
        "among them.",
        plan.open));
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : plan.refused)
    reasons.emplace_back(count, reason);
  std::ranges::stable_sort(reasons, std::greater<>{}, [](const auto& each) { return each.first; });
  reasons.resize(std::min(reasons.size(), kMostReasons));
  for (const auto& [count, reason] : reasons)
    plan.space.notes.push_back(fmt::format("Refused, {} of the candidates: {}.", count, reason));
}

/// First, as more GPUs and smaller batches would not look dear where times followed the batch.
void add_doubts(CapacityPlan& plan) {
  const Workload& workload = plan.space.sites.front().workload;
  std::set<std::uint32_t> others;
  for (const PlanChoice& choice : plan.choices)
    if (choice.forecast.batch != workload.batch)
      others.insert(choice.forecast.batch);
  if (!has_times_of_one_batch(workload) || others.empty())
    return;
  plan.space.notes.insert(
      plan.space.notes.begin(),
      fmt::format(
          "The trace does not say how times follow the batch, so layer times are those of "
          "batch {0} with batches of {1}, too: what has other batches than {0} is doubtful.",
          workload.batch, fmt::join(others, ", ")));
}

/// What the forecasts of the best say of themselves, once.
void add_notes(CapacityPlan& plan) {
  add_doubts(plan);
  const PlanChoice& best = plan.choices.front();
  for (const Note& note : best.forecast.notes)
    if (plan.space.notes.size() < kMostNotes && note.subject != "batch")
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

/// "Out of time", as a sentence begins.
std::string begin_of_reason() {
  std::string reason = stop_in_words();
  reason.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(reason.front())));
  return reason;
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
                        begin_of_reason() + ": what was not simulated by then may be better.");
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
  PlanSpace space = plan_space_of(request);
  const std::uint32_t most = most_simulated(space);
  CapacityPlan plan = search_plan(std::move(space), workers, most, finished);
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
  add_gaps(plan);
  add_notes(plan);
  return plan;
}

}  // namespace stepcast
