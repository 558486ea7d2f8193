#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "traces/json/json_text.hpp"
#include "traces/readers/stepcast/experiments/exported_plan.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kEdgesPerLine = 8;

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

std::string tasks_text(const ExportedPlan& exported) {
  std::vector<std::string> lines;
  for (TaskId id = 0; id < exported.plan.graph.size(); ++id)
    lines.push_back("    " + task_text(exported, exported.plan.graph.task(id)));
  return fmt::format("[\n{}\n  ]", fmt::join(lines, ",\n"));
}

std::string edges_text(std::span<const TaskGraph::Edge> edges) {
  std::string text;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const char* separator = i == 0 ? "" : i % kEdgesPerLine == 0 ? ",\n    " : ", ";
    text += fmt::format("{}[{}, {}]", separator, edges[i].first, edges[i].second);
  }
  return text.empty() ? "[]" : "[\n    " + text + "\n  ]";
}

std::string names_text(const std::vector<Stream>& streams) {
  std::vector<std::string> names;
  for (const Stream& stream : streams)
    names.push_back(json_string(stream.name));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

// A team of one group is the list of its ranks, others are lists of such.
std::string team_text(const Team& team) {
  std::vector<std::string> groups;
  for (const Group& group : team.groups)
    groups.push_back(fmt::format("[{}]", fmt::join(group.ranks, ", ")));
  return groups.size() == 1 ? groups.front() : fmt::format("[{}]", fmt::join(groups, ", "));
}

std::string teams_text(const std::vector<Team>& teams) {
  std::vector<std::string> lines;
  for (const Team& team : teams)
    lines.push_back("    " + team_text(team));
  return fmt::format("[\n{}\n  ]", fmt::join(lines, ",\n"));
}

}  // namespace

std::string to_json_text(const ExportedPlan& exported) {
  std::string text = "{\n";
  const auto line = [&text](std::string_view key, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  \"{}\": {},\n", key, value);
  };
  line("format", json_string("stepcast-plan"));
  line("version", "1");
  line("schedule", json_string(exported.plan.schedule));
  line("workload", json_string(exported.workload));
  line("cluster", json_string(exported.cluster));
  line("fidelity", json_string(exported.fidelity));
  line("gpus", fmt::to_string(exported.gpus));
  line("rank", fmt::to_string(exported.rank));
  if (exported.communication_slows_compute)
    line("communication_slows_compute", "true");
  line("iteration_time_s", json_number(exported.iteration_time.value));
  line("provenance", indented_provenance(exported.provenance));
  line("streams", names_text(exported.plan.streams));
  line("groups", teams_text(exported.plan.teams));
  if (!exported.plan.later_steps.empty())
    line("later_steps", fmt::format("[{}]", fmt::join(exported.plan.later_steps, ", ")));
  line("tasks", tasks_text(exported));
  line("edges", edges_text(exported.plan.graph.edges()));
  return text + fmt::format("  \"next_edges\": {}\n}}\n", edges_text(exported.plan.next));
}

}  // namespace stepcast
