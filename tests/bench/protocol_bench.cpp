// What chance costs: protocols by recursion, by events and on SimGrid's network, and a month of
// faults. A thousand seeds of 64 workers and 100 iterations are what a percentile takes.
#include <benchmark/benchmark.h>

#include "sim/asynchronous/hop.hpp"
#include "sim/asynchronous/neighbours.hpp"
#include "sim/asynchronous/protocol_job.hpp"
#include "sim/asynchronous/recursion.hpp"
#include "sim/forecast/chance/seeds.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/study/goodput/job_life.hpp"

namespace stepcast {
namespace {

ProtocolJob job_of_hop(std::uint32_t workers, std::uint32_t iterations) {
  ProtocolJob job{.workers = workers, .compute = Seconds{1}, .iterations = iterations};
  job.slow_down.laws = {SlowDown::Bernoulli{.factor = 6, .probability = 1.0 / workers}};
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.1}; };
  return job;
}

void recursion_1000_seeds_64_workers_100_iterations(benchmark::State& state) {
  const ProtocolJob job = job_of_hop(64, 100);
  const Recursion recursion{.graph = make_peer_graph(64, {.topology = Topology::RingBased})};
  for (auto _ : state)
    benchmark::DoNotOptimize(recursion_times(job, recursion, 0, 1000));
}
BENCHMARK(recursion_1000_seeds_64_workers_100_iterations)->Unit(benchmark::kMillisecond);

void events_1000_seeds_64_workers_100_iterations(benchmark::State& state) {
  ProtocolJob job = job_of_hop(64, 100);
  const HopOptions options{.graph = make_peer_graph(64, {.topology = Topology::RingBased})};
  for (auto _ : state)
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      job.slow_down.seed = seed;
      benchmark::DoNotOptimize(run_hop(job, options));
    }
}
BENCHMARK(events_1000_seeds_64_workers_100_iterations)->Unit(benchmark::kMillisecond);

void events_1000_seeds_by_2_processes(benchmark::State& state) {
  const HopOptions options{.graph = make_peer_graph(64, {.topology = Topology::RingBased})};
  for (auto _ : state)
    benchmark::DoNotOptimize(run_seeds({.seeds = 1000, .workers = 2}, [&](std::uint64_t seed) {
      ProtocolJob job = job_of_hop(64, 100);
      job.slow_down.seed = seed;
      return SeedResult{.time = run_hop(job, options).iteration_time().value, .details = {}};
    }));
}
BENCHMARK(events_1000_seeds_by_2_processes)->Unit(benchmark::kMillisecond)->UseRealTime();

void flow_64_workers_100_iterations(benchmark::State& state) {
  const Scenario scenario =
      scenario_of({.workload = "resnet50-rtx2080ti-bs64", .cluster = "rtx2080ti-16x4-10gbe"});
  const NeighbourOptions options{.graph = make_peer_graph(64, {.topology = Topology::OnePeer})};
  const Protocol protocol{
      .run = [&](const ProtocolJob& job) { return run_neighbours(job, options); },
      .graph = options.graph};
  const ProtocolJob job = job_of(scenario.workload, scenario.cluster, protocol,
                                 {.laws = {SlowDown::LogNormal{.sigma = 0.1}}}, 100);
  for (auto _ : state)
    benchmark::DoNotOptimize(run_protocol(protocol, job, scenario.cluster, {}));
}
BENCHMARK(flow_64_workers_100_iterations)->Unit(benchmark::kMillisecond);

void events_10000_workers_one_peer_10_iterations(benchmark::State& state) {
  const ProtocolJob job = job_of_hop(10'000, 10);
  const NeighbourOptions options{.graph = make_peer_graph(10'000, {.topology = Topology::OnePeer})};
  for (auto _ : state)
    benchmark::DoNotOptimize(run_neighbours(job, options));
}
BENCHMARK(events_10000_workers_one_peer_10_iterations)->Unit(benchmark::kMillisecond);

// 2,048 nodes of 8 GPUs at 6.5 faults in 1,000 node-days.
void month_of_faults_of_16384_gpus(benchmark::State& state) {
  const NodeFaults faults{.mtbf = Seconds{86400 * 1000 / 6.5},
                          .frailty_shape = 0.56,
                          .median_repair = Seconds{24 * 3600.0},
                          .repair_sigma = 2.4};
  const LifeOptions options{.nodes = 2048,
                            .spares = 64,
                            .interval = Seconds{600},
                            .costs = {Seconds{30}, Seconds{600}},
                            .length = Seconds{30 * 86400.0}};
  std::uint64_t seed = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(live(
        options, draw_outages(faults, options.nodes + options.spares, options.length, seed++)));
}
BENCHMARK(month_of_faults_of_16384_gpus)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
