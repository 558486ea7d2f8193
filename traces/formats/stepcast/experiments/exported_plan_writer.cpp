#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "traces/formats/stepcast/experiments/exported_plan.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {
namespace {

std::string communication_text(const Collective& collective,
                               const CommunicationForecast& forecast) {
  std::string text = fmt::format(
      R"("collective": "{}", "algorithm": "{}", "size_bytes": {}, "wait_s": {}, "time_s": {})",
      name_of(collective.kind), name_of(collective.algorithm), json_number(collective.size.value),
      json_number(forecast.wait.value), json_number(forecast.time.value));
  if (collective.root > 0)
    text += fmt::format(R"(, "root": {})", collective.root);
  if (!collective.shares.empty()) {
    std::vector<std::string> shares;
    for (const double share : collective.shares)
      shares.push_back(json_number(share));
    text += fmt::format(R"(, "shares": [{}])", fmt::join(shares, ", "));
  }
  return text;
}

std::string task_text(const ExportedPlan& exported, const Task& task) {
  const Plan& plan = exported.plan;
  std::string text =
      fmt::format(R"({{"label": {}, "kind": "{}", "stream": {}, "group": {}, )",
                  json_string(plan.labels[task.label]), name_of(task.kind), task.stream, task.team);
  if (task.kind == TaskKind::Communication)
    text += communication_text(plan.collectives[task.collective].collective,
                               exported.forecasts[task.collective]);
  else
    text += fmt::format(R"("duration_s": {})", json_number(task.duration.value));
  return text + "}";
}

// A team of one group is the list of its ranks, others are lists of such.
std::string team_text(const Team& team) {
  std::vector<std::string> groups;
  for (const Group& group : team.groups)
    groups.push_back(fmt::format("[{}]", fmt::join(group.ranks, ", ")));
  return groups.size() == 1 ? groups.front() : fmt::format("[{}]", fmt::join(groups, ", "));
}

}  // namespace

std::string to_json_text(const ExportedPlan& exported) {
  const Plan& plan = exported.plan;
  JsonFileText file("stepcast-plan");
  file.text("schedule", plan.schedule);
  file.text("workload", exported.workload);
  file.text("cluster", exported.cluster);
  file.text("fidelity", exported.fidelity);
  file.number("gpus", exported.gpus);
  file.number("rank", exported.rank);
  if (exported.communication_slows_compute)
    file.json("communication_slows_compute", "true");
  file.number("iteration_time_s", exported.iteration_time.value);
  file.provenance(exported.provenance);
  std::vector<std::string> names;
  for (const Stream& stream : plan.streams)
    names.push_back(json_string(stream.name));
  file.json("streams", fmt::format("[{}]", fmt::join(names, ", ")));
  file.lines("groups", plan.teams, team_text);
  if (!plan.later_steps.empty())
    file.json("later_steps", fmt::format("[{}]", fmt::join(plan.later_steps, ", ")));
  std::vector<std::string> tasks;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    tasks.push_back(task_text(exported, plan.graph.task(id)));
  file.lines("tasks", tasks);
  file.pairs("edges", plan.graph.edges());
  file.pairs("next_edges", plan.next);
  return std::move(file).finish();
}

}  // namespace stepcast
