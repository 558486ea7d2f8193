#include "sim/study/sweep/study_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/protocol_forecast.hpp"

namespace stepcast {
namespace {

constexpr double kProgramBytes = 4e7;
constexpr double kBytesOfEdge = 100;  // of a peer graph

/// Spread over all, in no rhythm that lists could have: multiples of the golden ratio.
std::set<std::uint32_t> sample_of(const Sweep& sweep, std::uint32_t most) {
  constexpr double kGolden = 0.6180339887498949;
  const auto count = static_cast<double>(sweep.combinations.size());
  std::set<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < most; ++i)
    numbers.insert(static_cast<std::uint32_t>(std::fmod(i * kGolden, 1.0) * count));
  return numbers;
}

/// Where they are chosen, as many as by default.
double drawn_seeds(const Chance& chance) {
  return chance.seeds == 0 ? Chance::kSeeds : chance.seeds;
}

double seeds_of(const Scenario& scenario) {
  return scenario.engine.slow_down.is_chance() ? drawn_seeds(scenario.chance) : 1;
}

/// What is there before the first iteration: the graph, and where messages are flows, the links of
/// all GPUs and the messages of a round. Measured with d-psgd on 65,540 GPUs on a ring and the two
/// exponential graphs: .8 to 1.3 times that.
Bytes memory_of_messages(const Scenario& scenario, const std::string& schedule, bool are_flows) {
  constexpr double kBytesOfGpu = 4900;
  constexpr double kBytesOfFlow = 600;
  const PeerGraphSize graph = graph_size_of(scenario, schedule);
  const double at_once = are_flows ? graph.edges / graph.rounds : 0;
  return Bytes{kBytesOfEdge * graph.edges + kBytesOfFlow * at_once +
               (are_flows ? kBytesOfGpu * scenario.cluster.ranks() : 0)};
}

/// Of a graph whose edges alone take long, so that no iteration is tried: each carries a message in
/// every iteration of its round.
std::optional<CostEstimate> cost_of_many_edges(const Scenario& scenario,
                                               const std::string& schedule) {
  constexpr double kMany = 2e6;
  const PeerGraphSize graph = graph_size_of(scenario, schedule);
  if (graph.edges < kMany)
    return std::nullopt;
  const bool is_quick = scenario.engine.fidelity == Fidelity::Analytic;
  const Seconds message{is_quick ? 0.1e-6 : 15e-6};
  const double iterations =
      scenario.engine.iterations > 0 ? scenario.engine.iterations : Chance::kIterations;
  return CostEstimate{
      .memory = Bytes{kProgramBytes} + memory_of_messages(scenario, schedule, !is_quick),
      .time = message * (graph.edges / graph.rounds * iterations * seeds_of(scenario))};
}

// protocol_run() simulates each seed once; where a recursion takes the place of that, about thirty
// times as fast, up to eight are simulated all the same. Without draws the iterations that it takes
// to the steady state are simulated again, to be left out.
double runs_of(const ProtocolWork& work, std::uint32_t processes) {
  constexpr double kAgain = 8;
  constexpr double kFaster = 30;
  if (!work.draws)
    return 2;
  const double seeds = work.seeds == 0 ? Chance::kSeeds : work.seeds;
  const double in_turn = seeds / std::min<double>(processes, seeds);
  return work.has_recursion ? in_turn / kFaster + std::min(kAgain, seeds) : in_turn;
}

// A worker keeps up to 14 bytes of each iteration.
CostEstimate counted_cost(const Scenario& scenario, const std::string& schedule,
                          const ProtocolWork& work, std::uint32_t processes) {
  return {.memory = Bytes{kProgramBytes + 14.0 * work.workers * work.iterations} +
                    memory_of_messages(scenario, schedule, work.shares_links),
          .time = work.iteration * (work.iterations * runs_of(work, processes))};
}

/// Cost of one forecast; nothing where a search chooses the plan.
std::optional<CostEstimate> cost_of_one(const Scenario& scenario, const std::string& schedule) try {
  if (schedule_of(schedule).asynchronous) {
    const auto cost = cost_of_many_edges(scenario, schedule);
    return cost ? cost : counted_cost(scenario, schedule, work_of(scenario, schedule), 1);
  }
  const ScheduledJob job = job_of(scenario, schedule);
  if (!fusion_search_of(job).empty())
    return std::nullopt;
  const PlannedRun run = planned(job);
  CostEstimate cost = cost_estimate(run.plan, scenario.cluster, run.engine);
  cost.time = cost.time * seeds_of(scenario);
  return cost;
} catch (const InputError&) {
  return std::nullopt;  // the study tells of it
}

std::optional<Scenario> scenario_unless_refused(const Sweep& sweep,
                                                const Combination& combination) try {
  return scenario_of(sweep, combination);
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

// A plan has some 2,000 tasks of a rank at most, as cost_estimate() counts them: 15 ms of a GPU at
// flow, 1.6 ms of each pair of them at step, .2 s in all at analytic.
bool may_take_much(const Cluster& cluster, const EngineOptions& options, double forecasts) {
  constexpr double kManySeconds = 20;
  constexpr double kManyRanks = 20'000;
  const double ranks = cluster.ranks();
  double each = 0.2;
  if (options.fidelity == Fidelity::Flow)
    each = 0.015 * ranks;
  if (options.fidelity == Fidelity::Step)
    each = 0.0016 * ranks * ranks;
  if (!options.fold)
    each += 0.0016 * ranks;
  return ranks >= kManyRanks || forecasts * each >= kManySeconds;
}

std::optional<CostEstimate> cost_of(const Sweep& sweep, std::uint32_t workers, std::size_t more,
                                    Bytes enough) {
  const auto forecasts = static_cast<double>(sweep.combinations.size() + more);
  const auto is_large = [&](std::uint32_t number) {
    const auto scenario = scenario_unless_refused(sweep, sweep.combinations[number]);
    return scenario &&
           may_take_much(scenario->cluster, scenario->engine, forecasts * seeds_of(*scenario));
  };
  if (std::ranges::none_of(sample_of(sweep, 4), is_large))
    return std::nullopt;
  CostEstimate cost;
  double known = 0;
  for (const std::uint32_t number : sample_of(sweep, 32)) {
    const Combination& each = sweep.combinations[number];
    const auto scenario = scenario_unless_refused(sweep, each);
    if (const auto one = scenario ? cost_of_one(*scenario, each.schedule) : std::nullopt) {
      cost.memory = std::max(cost.memory, one->memory);
      cost.time += one->time;
      ++known;
    }
    if (cost.memory > enough)
      break;
  }
  if (known == 0)
    return std::nullopt;
  cost.time = cost.time * (forecasts / known / std::min<double>(workers, forecasts));
  return cost;
}

std::optional<CostEstimate> cost_of(const Scenario& scenario, const std::string& schedule,
                                    double forecasts, std::uint32_t workers) {
  if (!may_take_much(scenario.cluster, scenario.engine, forecasts))
    return std::nullopt;
  auto cost = cost_of_one(scenario, schedule);
  if (cost)
    cost->time = cost->time * (forecasts / std::min<double>(workers, forecasts));
  return cost;
}

// Of each edge 100 B are kept at least: both directions, times, tokens (hop on complete graphs of
// 1,000 and 2,000 workers took 134 and 106 B).
Bytes least_memory_of_protocol(const Scenario& scenario, const std::string& schedule) {
  return {kBytesOfEdge * graph_size_of(scenario, schedule).edges};
}

std::optional<CostEstimate> cost_of_protocol(const Scenario& scenario,
                                             const std::string& schedule) {
  constexpr double kShare = 0.005;
  constexpr double kMostTried = 20;
  constexpr Seconds kLongestTrial{0.2};
  constexpr Seconds kShort{1};
  if (const auto cost = cost_of_many_edges(scenario, schedule))
    return cost;
  const ProtocolWork work = work_of(scenario, schedule);
  const std::uint32_t processes = scenario.chance.workers;
  CostEstimate cost = counted_cost(scenario, schedule, work, processes);
  const double runs = runs_of(work, processes);
  const double tried = std::floor(std::min(kMostTried, kShare * work.iterations * runs));
  const double allowed = std::floor(kLongestTrial / work.iteration);
  if (std::min(tried, allowed) < 1)
    return cost.time < kShort ? std::nullopt : std::optional(cost);
  Scenario few = scenario;
  few.engine.iterations = static_cast<std::uint32_t>(std::min(tried, allowed));
  few.chance = {.seeds = 1, .asked = true};
  const auto begin = std::chrono::steady_clock::now();
  protocol_run(few, schedule);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  cost.time = {taken.count() / few.engine.iterations / (work.has_recursion ? 2 : 1) * runs *
               work.iterations};
  return cost;
}

}  // namespace stepcast
