// What no forecast can escape: bytes over bandwidth, the compute of the busiest rank, and what
// follows from making compute, links or ranks slower. Of hostile jobs: start-ups up to 100 ms, up
// to 64 micro-batches, every schedule at every fidelity.
//
// A static plan, whose streams run in order and wait for all they depend on, has no anomalies of
// list scheduling (Graham 1969): a longer task delays others and brings none forward. Plans that
// choose by priority, negotiate, or wait for some of many are exempt by these traits, and so are
// plans with several channels, and pipelines several ranks of which share a NIC: there a message
// that comes later leaves its share of the link to one that more depends on. What runs at once
// slows each other down (`overlap`), which has the like effect.
#include <numeric>

#include "models/collective/links.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/period.hpp"
#include "sim/forecast/scenario.hpp"
#include "tests/sim/forecast/properties/random_job.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

constexpr double kRounding = 1e-6;
constexpr Fidelity kFidelities[] = {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step};

/// Compute on stream 0, one task after the other, of the rank with most of it.
Seconds busiest_compute(const Plan& plan, const Cluster& cluster,
                        const std::map<Rank, double>& stragglers) {
  std::vector<Seconds> sums(cluster.ranks());
  const std::vector<std::uint32_t> times = times_of_tasks(plan);
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind == TaskKind::Communication || task.stream != 0)
      continue;
    for (const Group& group : plan.teams[task.team].groups)
      for (const Rank rank : group.ranks)
        sums[rank] += task.duration * times[id];
  }
  for (const auto& [rank, factor] : stragglers)
    sums[rank] = sums[rank] * factor;
  return *std::ranges::max_element(sums);
}

/// Bytes over bandwidth of the link with most to carry.
Seconds busiest_link(const Plan& plan, const Cluster& cluster) {
  LinkLoads loads(cluster);
  std::vector<Seconds> sums(loads.link_count());
  const std::vector<std::uint32_t> times = times_of_tasks(plan);
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind != TaskKind::Communication)
      continue;
    const Collective& collective = plan.collectives[task.collective].collective;
    for (const Group& group : plan.teams[task.team].groups)
      for (const LinkTime& each : loads.link_times(edge_flows_of(collective, group, cluster)))
        sums[each.link] += each.time * times[id];
  }
  return sums.empty() ? Seconds{} : *std::ranges::max_element(sums);
}

void expect_physical(const Plan& plan, const Cluster& cluster, const EngineOptions& engine,
                     const Timeline& timeline) {
  const Seconds least = timeline.mean_iteration_time() * (1 + kRounding);
  // Ranks that never meet (K-FAC's parts=ff-bp) go at paces of their own: that of the fastest is
  // told.
  const bool meet = std::ranges::any_of(
      plan.graph.tasks(), [](const Task& task) { return task.kind == TaskKind::Communication; });
  EXPECT_GE(least,
            busiest_compute(plan, cluster, meet ? engine.stragglers : std::map<Rank, double>{}))
      << name_of(engine.fidelity);
  EXPECT_GE(least, busiest_link(plan, cluster)) << name_of(engine.fidelity);
}

/// With start-ups up to 100 ms and up to 64 micro-batches.
RandomJob hostile(RandomJob job, std::uint32_t seed) {
  Draw draw(seed ^ 0x5eedU);
  job.cluster.nic.startup = Seconds{draw.between(1e-7, 0.1)};
  job.cluster.intra_node.startup = Seconds{draw.between(1e-7, 0.1)};
  if (draw.below(2) == 0)
    job.cluster.overlap = {};
  if (draw.below(2) == 0)
    job.options["accumulation"] = std::to_string(1 + draw.below(64));
  return job;
}

/// What a failure is told with, to run it by hand.
std::string in_words(const RandomJob& job) {
  std::string text =
      std::to_string(job.cluster.nodes) + " nodes x " + std::to_string(job.cluster.gpus_per_node);
  for (const auto& [name, value] : job.options)
    text += " " + name + "=" + value;
  for (const auto& [rank, factor] : job.stragglers)
    text += " straggler." + std::to_string(rank) + "=" + std::to_string(factor);
  return text;
}

template <class Check>
void for_each_hostile_case(Check check) {
  std::uint32_t seed = from_environment("STEPCAST_PROPERTY_SEED", 1);
  for_each_case([&](const RandomJob& job) {
    const RandomJob drawn = hostile(job, seed++);
    SCOPED_TRACE(in_words(drawn));
    check(drawn, build_plan(drawn.schedule, drawn.workload, drawn.cluster, drawn.options));
  });
}

Timeline timeline_of(const RandomJob& job, const Plan& plan, Fidelity fidelity) {
  return simulate(plan, job.cluster, {.fidelity = fidelity, .stragglers = job.stragglers});
}

Seconds time_of_job(const RandomJob& job, const Plan& plan, Fidelity fidelity) {
  return timeline_of(job, plan, fidelity).mean_iteration_time();
}

bool is_static(const Plan& plan) {
  return plan.quorums.empty() && std::ranges::all_of(plan.streams, [](const Stream& stream) {
           return std::holds_alternative<InOrder>(stream.rule);
         });
}

bool has_one_channel(const Plan& plan) {
  StreamId only = kNone;
  for (const Task& task : plan.graph.tasks()) {
    if (task.kind != TaskKind::Communication)
      continue;
    if (only != kNone && task.stream != only)
      return false;
    only = task.stream;
  }
  return true;
}

/// NCCL's tuner goes by its own model of the network, and may take what is faster elsewhere.
bool chooses_algorithms(const Plan& plan) {
  return std::ranges::any_of(plan.collectives, [](const PlannedCollective& each) {
    return each.collective.algorithm == Algorithm::Nccl;
  });
}

/// Whether what is made slower can make a step no faster.
bool has_no_anomalies(const Plan& plan) {
  return is_static(plan) && has_one_channel(plan) && !chooses_algorithms(plan);
}

void expect_no_faster(const RandomJob& job, const Plan& plan, const RandomJob& slow,
                      const Plan& slow_plan) {
  if (!has_no_anomalies(plan))
    return;
  for (const Fidelity fidelity : kFidelities)
    EXPECT_GE(time_of_job(slow, slow_plan, fidelity),
              time_of_job(job, plan, fidelity) * (1 - kRounding))
        << name_of(fidelity);
}

TEST(PhysicalProperties, NoStepIsBelowItsBytesNorItsCompute) {
  for_each_hostile_case([](const RandomJob& job, const Plan& plan) {
    for (const Fidelity fidelity : kFidelities)
      expect_physical(plan, job.cluster, {.fidelity = fidelity, .stragglers = job.stragglers},
                      timeline_of(job, plan, fidelity));
  });
}

TEST(PhysicalProperties, DoubledTimesDoubleTheComputeAndNoMore) {
  for_each_hostile_case([](const RandomJob& job, const Plan& plan) {
    RandomJob slow = job;
    slow.workload = with_step_time(job.workload, 2 * compute_time(job.workload));
    const Plan longer = build_plan(slow.schedule, slow.workload, slow.cluster, slow.options);
    if (!is_static(plan) || longer.graph.size() != plan.graph.size())
      return;  // it merges by the times of layers
    const Seconds before = time_of_job(job, plan, Fidelity::Analytic);
    const Seconds after = time_of_job(slow, longer, Fidelity::Analytic);
    EXPECT_GE(after, before * (1 - kRounding));
    EXPECT_LE(after, before * (2 + kRounding));
    const Seconds passes = busiest_compute(longer, slow.cluster, slow.stragglers) -
                           busiest_compute(plan, job.cluster, job.stragglers);
    EXPECT_GE(passes, (forward_time(job.workload) + backward_time(job.workload)) * (1 - kRounding))
        << "shards of the update aside";
  });
}

TEST(PhysicalProperties, HalvedBandwidthIsNeverFaster) {
  for_each_hostile_case([](const RandomJob& job, const Plan& plan) {
    RandomJob slow = job;
    slow.cluster.nic.bandwidth = job.cluster.nic.bandwidth / 2;
    slow.cluster.intra_node.bandwidth = job.cluster.intra_node.bandwidth / 2;
    const Plan same = build_plan(slow.schedule, slow.workload, slow.cluster, slow.options);
    if (same.graph.size() != plan.graph.size())
      return;  // it merges by the times of messages
    expect_no_faster(job, plan, slow, same);
  });
}

TEST(PhysicalProperties, AnAddedStragglerIsNeverFaster) {
  for_each_hostile_case([](const RandomJob& job, const Plan& plan) {
    RandomJob slow = job;
    slow.stragglers.try_emplace(job.cluster.ranks() - 1, 2.5);
    expect_no_faster(job, plan, slow, plan);
  });
}

bool share_a_nic(const Cluster& cluster) {
  return cluster.nodes > 1 && cluster.gpus_per_node > 1;
}

/// A transformer on up to 16 GPUs, in one of its layouts, with up to 64 micro-batches.
OwnedJob hostile_layout(std::uint32_t seed, bool swapped) {
  Draw draw(seed);
  const auto power = [&](std::uint32_t most) { return 1U << draw.below(most + 1); };
  const std::string shape = "transformer:layers=" + std::to_string(8 * power(1)) +
                            ",hidden=" + std::to_string(256 * power(2)) +
                            ",heads=8,seq=" + std::to_string(128 * power(2)) +
                            ",vocab=1000,device=a100,batch=1";
  OwnedJob scenario{
      .workload = load_transformer(parse_transformer(shape)),
      .cluster = random_cluster(draw),
      .schedule = partitioned_schedules()[seed % (partitioned_schedules().size() - 1)].name};
  scenario.cluster.nic.startup = Seconds{draw.between(1e-7, 0.1)};
  scenario.cluster.nodes = power(2);
  scenario.cluster.gpus_per_node = power(2);
  std::string tensor = std::to_string(power(2)), stages = std::to_string(power(2));
  if (swapped)
    std::swap(tensor, stages);
  scenario.options = {{"tp", tensor},
                      {"pp", stages},
                      {"zero", std::to_string(draw.below(2))},
                      {"micro_batch", "1"},
                      {"global_batch", std::to_string(16 * power(2))},
                      {"recompute", draw.below(2) > 0 ? "full" : "none"}};
  return scenario;
}

template <class Check>
void for_each_layout(Check check) {
  shipped();  // says where the data are
  const std::uint32_t first = from_environment("STEPCAST_PROPERTY_SEED", 1);
  const std::uint32_t cases = from_environment("STEPCAST_PROPERTY_CASES", 100) / 2;
  for (std::uint32_t seed = first; seed < first + cases; ++seed)
    for (const bool swapped : {false, true}) {
      OwnedJob scenario = hostile_layout(seed, swapped);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + scenario.info().name +
                   (swapped ? ", swapped" : ""));
      try {
        check(scenario);
      } catch (const InputError&) {  // the layout does not divide the GPUs or the layers
      }
    }
}

TEST(PhysicalProperties, NoLayoutIsBelowItsBytesNorItsCompute) {
  for_each_layout([](OwnedJob& scenario) {
    for (const Fidelity fidelity : kFidelities) {
      scenario.engine.fidelity = fidelity;
      const ScheduleRun result = simulated(scenario);
      expect_physical(result.plan, scenario.cluster, scenario.engine, result.timeline);
    }
  });
}

TEST(PhysicalProperties, NoLayoutIsFasterWithHalvedBandwidthOrAStraggler) {
  for_each_layout([](OwnedJob& scenario) {
    scenario.engine.fidelity = Fidelity::Analytic;
    scenario.cluster.overlap = {};
    const ScheduleRun result = simulated(scenario);
    if (!has_no_anomalies(result.plan) || share_a_nic(scenario.cluster))
      return;
    const Seconds before = result.timeline.mean_iteration_time() * (1 - kRounding);
    OwnedJob slow = scenario;
    slow.engine.stragglers[scenario.cluster.ranks() - 1] = 2.5;
    EXPECT_GE(simulated(slow).timeline.mean_iteration_time(), before) << "a straggler";
    slow = scenario;
    slow.cluster.nic.bandwidth = scenario.cluster.nic.bandwidth / 2;
    slow.cluster.intra_node.bandwidth = scenario.cluster.intra_node.bandwidth / 2;
    EXPECT_GE(simulated(slow).timeline.mean_iteration_time(), before) << "half the bandwidth";
  });
}

/// One of the schedules without a plan, where nothing is drawn but partners.
Forecast asynchronous_forecast(const RandomJob& job, Fidelity fidelity) {
  Scenario scenario{.original_workload = job.workload,
                    .original_cluster = job.cluster,
                    .schedules = {job.schedule}};
  scenario.engine.fidelity = fidelity;
  scenario.chance = {.seeds = 3, .workers = 1};
  Settings settings;
  settings.schedule = job.options;
  settings.stragglers = job.stragglers;
  return simulated(changed(std::move(scenario), std::move(settings)), job.schedule).forecast;
}

/// Whether transfers at analytic fidelity may have a link to themselves that others use: where the
/// forecast says so, and where workers of a node send in rounds of their own.
bool has_links_to_itself(const Forecast& forecast, const Cluster& cluster, Fidelity fidelity) {
  if (fidelity == Fidelity::Analytic && share_a_nic(cluster))
    return true;
  return std::ranges::any_of(forecast.notes, [](const Note& note) {
    return note.kind == NoteKind::Fidelity && note.subject == "links";
  });
}

// Iterations whose messages may still be under way when a run without a steady state ends: tokens
// of a queue and one.
constexpr double kUnderWay = 6;

TEST(PhysicalProperties, NoAsynchronousIterationIsBelowItsBytesNorItsCompute) {
  std::uint32_t seed = from_environment("STEPCAST_PROPERTY_SEED", 1);
  for_each_case(
      [&](const RandomJob& drawn) {
        RandomJob job = hostile(drawn, seed++);
        job.options.erase("accumulation");
        SCOPED_TRACE(in_words(job));
        const auto rule = job.options.find("rule");
        if (rule != job.options.end() && rule->second == "none")
          throw InputError("workers without a rule may wait for each other for ever");
        // A fault that is known: messages that nobody waits for, as of hop with several backup
        // workers, pile up on a link for as long as the run lasts.
        if (job.options.contains("backup") && !job.options.at("backup").starts_with("1"))
          throw InputError("messages pile up");
        for (const Fidelity fidelity : kFidelities) {
          const Forecast forecast = asynchronous_forecast(job, fidelity);
          if (has_links_to_itself(forecast, job.cluster, fidelity))
            continue;
          const Seconds time = forecast.iteration_time * (1 + kRounding);
          const double arrived =
              forecast.steady ? 1 : std::max(0.0, 1 - kUnderWay / forecast.iterations_simulated);
          EXPECT_GE(time,
                    forecast.protocol.sent_per_nic * arrived / node_link(job.cluster).bandwidth)
              << name_of(fidelity);
        }
      },
      asynchronous_schedules());
}

}  // namespace
}  // namespace stepcast
