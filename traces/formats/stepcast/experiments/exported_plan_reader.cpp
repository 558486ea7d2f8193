#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/issue_order.hpp"
#include "models/schedule/plan_checks.hpp"
#include "traces/formats/stepcast/experiments/exported_plan.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

using nlohmann::json;

namespace {

constexpr std::uint32_t kMostRanks = 1U << 20;
constexpr Seconds kLongest{1e4};
constexpr std::array kKinds{TaskKind::Forward, TaskKind::Backward, TaskKind::Update,
                            TaskKind::OtherCompute, TaskKind::Communication};

/// A whole number of an array, below `limit`.
std::optional<std::uint32_t> index_in(const json& value, std::size_t limit) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= limit)
    return std::nullopt;
  return value.get<std::uint32_t>();
}

std::uint64_t count_below(ObjectReader& reader, std::string_view key, std::uint64_t limit,
                          std::string_view what) {
  const std::uint64_t found = reader.count(key, 0);
  if (found >= limit)
    reader.fail(key, fmt::format("expected a {} from 0 to {}, found {}", what, limit - 1, found));
  return found;
}

/// A replay of longer ones would not end.
Seconds bounded_seconds(ObjectReader& reader, std::string_view key) {
  const Seconds time = reader.seconds(key);
  if (time > kLongest)
    reader.fail(key, fmt::format("expected at most {} s, found {}", kLongest.value, time.value));
  return time;
}

const json& array_of(ObjectReader& root, std::string_view key) {
  const json& array = root.raw(key);
  if (!array.is_array())
    root.fail(key, "expected an array");
  return array;
}

std::vector<Stream> read_streams(ObjectReader& root) {
  std::vector<Stream> streams;
  for (std::string& name : root.texts_or_none("streams"))
    streams.push_back({.name = std::move(name)});
  if (streams.empty())
    root.fail("streams", "expected the name of at least one stream");
  return streams;
}

Group read_group(ObjectReader& root, const std::string& key, const json& members,
                 std::uint32_t ranks) {
  std::vector<bool> seen(ranks);
  Group group;
  for (const json& member : members.is_array() ? members : json::array()) {
    const std::optional<std::uint32_t> rank = index_in(member, ranks);
    if (!rank || seen[*rank])
      root.fail(key, fmt::format("expected different ranks from 0 to {}", ranks - 1));
    seen[*rank] = true;
    group.ranks.push_back(*rank);
  }
  if (group.ranks.empty())
    root.fail(key, "expected an array of ranks, at least one");
  return group;
}

// Each entry is a group, or a list of groups that do the same at the same time.
std::vector<Team> read_teams(ObjectReader& root, std::uint32_t ranks) {
  std::vector<Team> teams;
  for (const json& entry : array_of(root, "groups")) {
    const std::string key = fmt::format("groups/{}", teams.size());
    if (!entry.is_array() || entry.empty() || !entry.front().is_array()) {
      teams.push_back({{read_group(root, key, entry, ranks)}});
      continue;
    }
    std::vector<Group> groups;
    for (const json& members : entry)
      groups.push_back(read_group(root, key, members, ranks));
    try {
      teams.push_back(team_of(std::move(groups)));
    } catch (const InputError& error) {
      root.fail(key, error.what());
    }
  }
  if (teams.empty())
    root.fail("groups", "expected at least one group of ranks");
  return teams;
}

TaskKind read_kind(ObjectReader& reader) {
  const std::string text = reader.text("kind");
  std::vector<std::string> names;
  for (const TaskKind kind : kKinds) {
    names.emplace_back(name_of(kind));
    if (text == names.back())
      return kind;
  }
  reader.fail("kind", fmt::format("expected forward, backward, update, other-compute or "
                                  "communication, found {}{}",
                                  in_quotes(text), did_you_mean(text, names)));
}

template <class Value>
Value named(ObjectReader& reader, std::string_view key,
            std::optional<Value> (*find)(std::string_view)) {
  const std::string text = reader.text(key);
  if (const std::optional<Value> found = find(text))
    return *found;
  reader.fail(key, fmt::format("unknown {} {}", key, in_quotes(text)));
}

/// One number from 0 on for each member of the group, not all 0; none where it is absent.
std::vector<double> read_shares(ObjectReader& reader, std::uint32_t members) {
  std::vector<double> shares;
  if (!reader.has("shares"))
    return shares;
  double sum = 0;
  for (const json& share : array_of(reader, "shares")) {
    shares.push_back(share.is_number() ? share.get<double>() : -1);
    sum += shares.back();
    if (shares.back() < 0)
      reader.fail("shares", "expected numbers from 0 on");
  }
  if (shares.size() != members || sum == 0)
    reader.fail("shares", fmt::format("expected {} numbers, one for each member of the group, not "
                                      "all 0",
                                      members));
  return shares;
}

void read_communication(ObjectReader& reader, ExportedPlan& exported, Task& task) {
  Collective collective{.kind = named(reader, "collective", find_collective_kind),
                        .algorithm = named(reader, "algorithm", find_algorithm),
                        .size = {reader.number("size_bytes", 0)},
                        .root = 0};
  if (!supports(collective.algorithm, collective.kind))
    reader.fail("algorithm", fmt::format("expected an algorithm for {}, found \"{}\"",
                                         name_of(collective.kind), name_of(collective.algorithm)));
  if (reader.has("root"))
    collective.root = static_cast<std::uint32_t>(count_below(
        reader, "root", exported.plan.teams[task.team].group_size(), "place in its group"));
  collective.shares = read_shares(reader, exported.plan.teams[task.team].group_size());
  task.collective = static_cast<std::uint32_t>(exported.plan.collectives.size());
  exported.plan.collectives.push_back({.collective = collective});
  exported.forecasts.push_back(
      {.wait = bounded_seconds(reader, "wait_s"), .time = bounded_seconds(reader, "time_s")});
}

Task read_task(ObjectReader& reader, ExportedPlan& exported) {
  Plan& plan = exported.plan;
  Task task{
      .kind = read_kind(reader),
      .stream = static_cast<StreamId>(count_below(reader, "stream", plan.streams.size(), "stream")),
      .team = static_cast<TeamId>(count_below(reader, "group", plan.teams.size(), "group")),
      .label = static_cast<std::uint32_t>(plan.labels.size())};
  plan.labels.push_back(reader.text("label"));
  if (task.kind == TaskKind::Communication)
    read_communication(reader, exported, task);
  else
    task.duration = bounded_seconds(reader, "duration_s");
  reader.finish();
  return task;
}

std::vector<TaskGraph::Edge> read_edges(ObjectReader& root, std::string_view name,
                                        std::size_t tasks) {
  std::vector<TaskGraph::Edge> edges;
  for (const json& edge : array_of(root, name)) {
    const bool pair = edge.is_array() && edge.size() == 2;
    const auto before = pair ? index_in(edge[0], tasks) : std::nullopt;
    const auto after = pair ? index_in(edge[1], tasks) : std::nullopt;
    if (!before || !after)
      root.fail(fmt::format("{}/{}", name, edges.size()),
                fmt::format("expected two tasks from 0 to {} such as [0, 1]", tasks - 1));
    edges.emplace_back(*before, *after);
  }
  return edges;
}

std::vector<TaskId> read_later_steps(ObjectReader& root, std::size_t tasks) {
  std::vector<TaskId> steps;
  if (!root.has("later_steps"))
    return steps;
  for (const json& step : array_of(root, "later_steps")) {
    const std::optional<std::uint32_t> first = index_in(step, tasks);
    if (!first || *first == 0 || (!steps.empty() && *first <= steps.back()))
      root.fail("later_steps", "expected the first tasks of later steps, ascending");
    steps.push_back(*first);
  }
  return steps;
}

/// The begins of iterations are told by the first stream.
void require_first_stream(ObjectReader& root, const ExportedPlan& exported) {
  const Plan& plan = exported.plan;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.stream == 0 && find_group(plan.teams[task.team], exported.rank))
      return;
  }
  root.fail("tasks", fmt::format("expected a task of rank {} on the first stream", exported.rank));
}

void read_graph(ObjectReader& root, ExportedPlan& exported) {
  std::vector<Task> tasks;
  for (ObjectReader& task : root.objects("tasks"))
    tasks.push_back(read_task(task, exported));
  if (tasks.empty())
    root.fail("tasks", "expected at least one task");
  const std::vector<TaskGraph::Edge> edges = read_edges(root, "edges", tasks.size());
  exported.plan.next = read_edges(root, "next_edges", tasks.size());
  exported.plan.later_steps = read_later_steps(root, tasks.size());
  try {
    exported.plan.graph = TaskGraph(tasks, edges);
    issue_order(exported.plan);
    require_known_ids(exported.plan);
    require_common_ranks(exported.plan);
  } catch (const InputError& error) {
    root.fail("edges", error.what());
  }
}

}  // namespace

ExportedPlan parse_exported_plan(std::string_view text, const std::string& origin) {
  const json document = parse_json(text, origin);
  ObjectReader root(document, origin);
  read_format_header(root, "stepcast-plan");
  ExportedPlan exported{.plan = {.schedule = root.text("schedule"), .graph = TaskGraph({}, {})}};
  exported.workload = root.text("workload");
  exported.cluster = root.text("cluster");
  exported.fidelity = root.text("fidelity");
  exported.gpus = root.count_up_to("gpus", 1, kMostRanks);
  exported.rank = static_cast<Rank>(count_below(root, "rank", exported.gpus, "rank"));
  exported.communication_slows_compute = root.flag_or("communication_slows_compute", false);
  root.time_above_zero("iteration_time_s");
  exported.iteration_time = bounded_seconds(root, "iteration_time_s");
  exported.provenance = read_provenance(root.object("provenance"));
  exported.plan.streams = read_streams(root);
  exported.plan.teams = read_teams(root, exported.gpus);
  read_graph(root, exported);
  require_first_stream(root, exported);
  root.finish();
  return exported;
}

ExportedPlan read_exported_plan(const std::filesystem::path& path) {
  return parse_exported_plan(read_text_file(path), path.string());
}

const char* name_of(TaskKind kind) {
  return name_among({"forward", "backward", "update", "other-compute", "communication"}, kind);
}

}  // namespace stepcast
