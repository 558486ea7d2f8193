// What a search and a sweep cost: `tune` with its ten trials, and a sweep of a thousand forecasts.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/forecast/tuning/tune.hpp"
#include "sim/study/sweep/sweep.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr const char* kResnet = "resnet50-rtx2080ti-bs64";
constexpr const char* kDensenet = "densenet201-rtx2080ti-bs32";
constexpr const char* kCluster = "rtx2080ti-16x4-10gbe";

void tune_64_gpus_flow(benchmark::State& state, const char* name) {
  const Workload workload = load_workload(name);
  const Cluster cluster = load_cluster(kCluster);
  const ScheduledJob job{workload, cluster, "dear", {}, {.fidelity = Fidelity::Flow}};
  std::size_t trials = 0;
  for (auto _ : state)
    trials = tune(job, {.option = "fusion_buffer"}).trials.size();
  state.counters["trials"] = static_cast<double>(trials);
}
BENCHMARK_CAPTURE(tune_64_gpus_flow, resnet50, kResnet)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tune_64_gpus_flow, densenet201, kDensenet)->Unit(benchmark::kMillisecond);

/// Five workloads, two clusters, 100 fusion buffers.
SweepRequest thousand_forecasts() {
  std::vector<std::string> buffers;
  for (int mebibytes = 1; mebibytes <= 100; ++mebibytes)
    buffers.push_back(fmt::format("{}MiB", mebibytes));
  return {.base = {.schedules = {"dear"}, .fidelity = "analytic"},
          .axes = {{"workload",
                    {kResnet, kDensenet, "inceptionv4-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64",
                     "bert-large-rtx2080ti-bs32"}},
                   {"cluster", {kCluster, "rtx2080ti-16x4-ib100"}},
                   {"fusion_buffer", buffers}}};
}

/// With reading the files; wall-clock time, as the work is done by other processes.
void thousand_forecasts_analytic(benchmark::State& state) {
  const SweepRequest request = thousand_forecasts();
  std::size_t forecasts = 0;
  for (auto _ : state)
    forecasts =
        sweep_results(plan_sweep(request), {.workers = static_cast<std::uint32_t>(state.range(0))})
            .size();
  state.counters["forecasts"] = static_cast<double>(forecasts);
}
BENCHMARK(thousand_forecasts_analytic)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
