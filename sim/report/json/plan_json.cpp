#include <algorithm>

#include <nlohmann/json.hpp>

#include "sim/forecast/effects.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/studies/plan_report.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 10;

Json choice_json(const CapacityPlan& plan, const PlanChoice& choice) {
  const PlanSite& site = plan.space.sites[choice.trial.site];
  Json json{{"cluster", site.cluster.name},
            {"gpus", site.cluster.ranks()},
            {"layout", choice.layout},
            {"schedule", plan.space.schedules[choice.trial.schedule].name},
            {"options", choice.trial.options},
            {"iteration_time_s", choice.forecast.iteration_time.value}};
  add_likely(json, likely_step_of(choice.forecast));
  json["throughput_samples_per_s"] = choice.forecast.throughput;
  json["hours"] = choice.hours;
  json["cost"] = choice.cost;
  json["memory_bytes"] = choice.forecast.memory.total().value;
  json["utilisation"] = choice.utilisation;
  json["fits"] = choice.fits;
  json["meets"] = choice.meets;
  if (choice.chance)
    json["deadline_chance"] = *choice.chance;
  json["indistinguishable"] = is_indistinguishable(plan, choice);
  json["why"] = choice.why;
  json["command"] = run_command_of(plan.space, choice.trial);
  return json;
}

Json list_json(const CapacityPlan& plan, const std::vector<std::size_t>& indices) {
  Json list = Json::array();
  for (const std::size_t i : indices)
    list.push_back(choice_json(plan, plan.choices[i]));
  return list;
}

Json changes_json(const CapacityPlan& plan) {
  Json list = Json::array();
  for (const PlanChange& change : plan.changes) {
    if (!change.refusal.empty())
      continue;
    Json entry{{"change", change.change},
               {"gain", change.gain},
               {"iteration_time_s", change.iteration_time.value}};
    add_likely(entry, change.likely);
    entry["memory_bytes"] = change.memory.value;
    entry["fits"] = change.fits;
    list.push_back(std::move(entry));
  }
  return list;
}

Json counts_json(const CapacityPlan& plan) {
  std::size_t refused = 0;
  for (const auto& [reason, count] : plan.refused)
    refused += count;
  return {{"all", plan.space.candidates.size()}, {"refused", refused},
          {"too_large", plan.too_large},         {"bounded", plan.bounded},
          {"simulated", plan.choices.size()},    {"left_open", plan.open}};
}

void add_wishes(Json& json, const PlanRequest& request) {
  if (request.global_batch)
    json["global_batch"] = *request.global_batch;
  if (request.deadline)
    json["deadline_s"] = request.deadline->value;
  if (request.budget)
    json["budget"] = *request.budget;
}

}  // namespace

std::string plan_json(const CapacityPlan& plan) {
  const PlanSpace& space = plan.space;
  Json json{{"version", STEPCAST_VERSION},
            {"workload", space.sites[plan.choices.front().trial.site].workload.name},
            {"fidelity", name_of(space.request.fidelity)},
            {"samples", space.samples}};
  add_wishes(json, space.request);
  json["prices"] = {{"name", space.prices.name},
                    {"currency", space.prices.currency},
                    {"date", space.prices.date}};
  json["candidates"] = counts_json(plan);
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < std::min(plan.choices.size(), kShown); ++i)
    best.push_back(i);
  json["results"] = list_json(plan, best);
  json["best_of_each_cluster"] = list_json(plan, best_of_each_cluster(plan));
  json["pareto"] = list_json(plan, plan.front);
  json["memory_front"] = list_json(plan, plan.memory_front);
  json["changes"] = changes_json(plan);
  json["outlook"] = plan.outlook;
  json["notes"] = space.notes;
  json["command"] = run_command_of(space, plan.choices.front().trial);
  return printed(json);
}

}  // namespace stepcast
