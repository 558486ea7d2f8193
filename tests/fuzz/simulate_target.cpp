// A schedule on the first line, a `--set` argument on each other: plan, engine, forecast.
#include <sstream>
#include <string>
#include <vector>

#include "models/schedule/registry.hpp"
#include "sim/study/tuning/tuned_fusion.hpp"
#include "tests/fuzz/support/forecast_checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/catalog.hpp"
#include "traces/settings.hpp"

namespace stepcast::fuzz {
namespace {

constexpr std::uint32_t kMostRanks = 16;
constexpr std::size_t kMostTasks = 20'000;

std::vector<std::string> lines_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// Six layers of a real network with all its costs, so that every schedule can run.
const Workload& small_workload() {
  static const Workload workload = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 0);
    Workload whole = load_workload("resnet50-rtx2080ti-bs64");
    whole.layers.resize(6);
    whole.edges.clear();
    return whole;
  }();
  return workload;
}

const Cluster& small_cluster() {
  static const Cluster cluster = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 0);
    Cluster whole = load_cluster("rtx2080ti-16x4-10gbe");
    whole.nodes = 2;
    whole.gpus_per_node = 2;
    return whole;
  }();
  return cluster;
}

bool names_a_file(const Settings& settings) {
  return !settings.second_workload.empty() || settings.cluster.contains("collectives");
}

}  // namespace

bool accepts_simulate(std::string_view text) {
  return answers([&] {
    std::vector<std::string> lines = lines_in(text);
    if (lines.empty())
      throw InputError("no schedule");
    const std::string schedule = lines.front();
    schedule_of(schedule);
    lines.erase(lines.begin());
    const Settings settings = parse_settings(lines);
    if (names_a_file(settings))
      throw InputError("files are other targets' affair");
    const Cluster cluster = with_settings(small_cluster(), settings);
    if (cluster.ranks() > kMostRanks)
      throw InputError("too large to be tried often");
    const Workload workload = with_settings(small_workload(), resolved_batch(settings, cluster));
    if (settings.schedule.contains("fusion"))
      throw InputError("a search simulates often");
    const Plan plan = build_plan(schedule, workload, cluster, settings.schedule);
    if (plan.graph.size() > kMostTasks)
      throw InputError("too large to be tried often");
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      const EngineOptions engine{.fidelity = fidelity, .stragglers = settings.stragglers};
      require_sound(make_forecast(workload, cluster, plan, settings.schedule, fidelity,
                                  simulate(plan, cluster, engine)));
    }
  });
}

}  // namespace stepcast::fuzz
