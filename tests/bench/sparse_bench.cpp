// Compressed gradients: what a collective of unequal parts, a forecast and a map of winners take.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/study/crossover/boundaries.hpp"
#include "traces/catalog.hpp"
#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

constexpr const char* kResnet = "resnet50-rtx2080ti-bs64";

std::vector<double> random_shares(std::uint32_t ranks) {
  std::vector<double> shares;
  for (std::uint32_t i = 0, state = 1; i < ranks; ++i) {
    state = state * 1664525U + 1013904223U;
    shares.push_back(0.5 + (state >> 8U) / 16777216.0);
  }
  return shares;
}

/// An all-to-all of parts from half to one and a half of the mean at flow fidelity; the time is of
/// one of them.
void unequal_all_to_all(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto gpus = static_cast<std::uint32_t>(state.range(1));
  const Cluster cluster = ideal_cluster(nodes, gpus);
  const Workload nothing{.name = "nothing", .layers = {{.name = "nothing"}}};
  Builder builder("exchange", nothing, cluster);
  builder.stream("network");
  const TaskId call = builder.forward(0);
  const TaskId sent = builder.all_to_all("x", Bytes{1e8}, {.shares = random_shares(nodes * gpus)});
  builder.after(sent, {call});
  builder.next_after(call, {sent});
  const Plan plan = std::move(builder).build();
  std::uint32_t iterations = 0;
  for (auto _ : state)
    iterations = simulate(plan, cluster, {}).iterations;
  state.counters["s_per_exchange"] = benchmark::Counter(
      iterations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(unequal_all_to_all)
    ->Args({64, 1})
    ->Args({16, 4})
    ->Args({8, 8})
    ->Args({1024, 1})
    ->Args({256, 4})
    ->Args({128, 8})
    ->Unit(benchmark::kMillisecond);

void sparse_forecast(benchmark::State& state, const std::string& schedule, Fidelity fidelity) {
  const Workload workload = load_workload(kResnet);
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  for (auto _ : state)
    benchmark::DoNotOptimize(
        simulate(build_plan(schedule, workload, cluster, {}), cluster, {.fidelity = fidelity}));
}
BENCHMARK_CAPTURE(sparse_forecast, topka2a_64_gpus_analytic, "topka2a", Fidelity::Analytic)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sparse_forecast, topka2a_64_gpus_flow, "topka2a", Fidelity::Flow)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sparse_forecast, gtopk_64_gpus_flow, "gtopk", Fidelity::Flow)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sparse_forecast, ok_topk_64_gpus_flow, "ok-topk", Fidelity::Flow)
    ->Unit(benchmark::kMillisecond);

/// 9 densities on 7 bandwidths, 5 schedules, and 70 boundaries by bisection, on one process.
void crossover_map(benchmark::State& state) {
  const Sweep sweep = plan_sweep(
      {.base = {.workload = kResnet,
                .cluster = "rtx2080ti-16x4-10gbe",
                .schedules = {"ddp", "topk-allgather", "topka2a", "gtopk", "ok-topk"},
                .fidelity = "analytic",
                .settings = {}},
       .axes = {
           {"cluster.nic.bandwidth",
            {"1Gbps", "2.5Gbps", "5Gbps", "10Gbps", "25Gbps", "50Gbps", "100Gbps"}},
           {"density", {"0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"}}}});
  for (auto _ : state) {
    benchmark::DoNotOptimize(sweep_results(sweep, {}));
    benchmark::DoNotOptimize(find_boundaries(sweep, {}));
  }
}
BENCHMARK(crossover_map)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace stepcast
