// Whole forecasts through the library: build the graph, run to the steady state, make the report.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "models/schedule/builder.hpp"
#include "sim/study/forecast.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Setup {
  const char* workload;
  const char* schedule;
  ScheduleOptions options{};
  std::uint32_t nodes = 16;
  EngineOptions engine{};
};

void forecast(benchmark::State& state, const Setup& setup) {
  const Workload workload = load_workload(setup.workload);
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = setup.nodes;
  const ScheduleOptions options = effective_options(schedule_of(setup.schedule), setup.options);
  for (auto _ : state) {
    const Plan plan = build_plan(setup.schedule, workload, cluster, options);
    const Timeline timeline = simulate(plan, cluster, setup.engine);
    benchmark::DoNotOptimize(
        make_forecast(workload, cluster, plan, options, setup.engine.fidelity, timeline));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

constexpr const char* kResnet = "resnet50-rtx2080ti-bs64";
constexpr const char* kDensenet = "densenet201-rtx2080ti-bs32";

const Setup kFolded{kResnet, "dear", {}, 16, {.fidelity = Fidelity::Analytic}};
const Setup kUnfolded{kResnet, "dear", {}, 16, {.fidelity = Fidelity::Analytic, .fold = false}};
const Setup kFlow{kResnet, "dear", {}, 16, {.fidelity = Fidelity::Flow}};
const Setup kManyAllReduces{kDensenet, "wfbp", {}, 16, {.fidelity = Fidelity::Flow}};
const Setup kThousand{kResnet, "dear", {}, 256, {.fidelity = Fidelity::Flow}};
const Setup kTenThousand{kResnet, "dear", {}, 2560, {.fidelity = Fidelity::Flow}};
const Setup kTenThousandFolded{kResnet, "dear", {}, 2560, {.fidelity = Fidelity::Analytic}};

BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_analytic, kFolded)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_analytic_unfolded, kUnfolded)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_flow, kFlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, densenet201_wfbp_64_gpus_flow, kManyAllReduces)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_1024_gpus_flow, kThousand)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_10240_gpus_analytic, kTenThousandFolded)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_10240_gpus_flow, kTenThousand)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// The same forecast by closed forms and by measured curves.
void measured_curves(benchmark::State& state, bool with_curves) {
  const Workload workload = load_workload("resnet50-v100-bs96");
  Cluster cluster = load_cluster("v100-32x4-edr");
  if (!with_curves)
    cluster.measured.reset();
  const ScheduleOptions options = effective_options(schedule_of("ddp"), {});
  for (auto _ : state) {
    const Plan plan = build_plan("ddp", workload, cluster, options);
    const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Flow});
    benchmark::DoNotOptimize(
        make_forecast(workload, cluster, plan, options, Fidelity::Flow, timeline));
  }
}
BENCHMARK_CAPTURE(measured_curves, resnet50_ddp_128_gpus_closed_forms, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(measured_curves, resnet50_ddp_128_gpus_curves, true)
    ->Unit(benchmark::kMillisecond);

// Two clusters in turn: the platform is built anew for every forecast. It must take the same time
// after thousands of them.
void alternating_clusters(benchmark::State& state) {
  const Workload workload = load_workload(kResnet);
  const Cluster clusters[] = {load_cluster("rtx2080ti-16x4-10gbe"),
                              load_cluster("rtx2080ti-16x4-ib100")};
  const Plan plans[] = {build_plan("dear", workload, clusters[0], {}),
                        build_plan("dear", workload, clusters[1], {})};
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate(plans[i], clusters[i], {}));
    i = 1 - i;
  }
}
BENCHMARK(alternating_clusters)->Unit(benchmark::kMillisecond)->Iterations(500);
BENCHMARK(alternating_clusters)->Unit(benchmark::kMillisecond)->Iterations(4000);

// Every message of 54 ring all-reduces (one for each convolution of ResNet-50 with its BatchNorm,
// and one for the classifier) on 64 GPUs: 54 x 126 steps x 64 messages = 435,456 an iteration.
void every_message(benchmark::State& state) {
  const Workload workload = load_workload(kResnet);
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  Builder builder("54 all-reduces", workload, cluster);
  builder.stream("all-reduce");
  std::vector<TaskId> reduced;
  const auto layers = static_cast<LayerId>(workload.layers.size());
  for (LayerId layer = layers; layer-- > 0;) {
    const TaskId backward = builder.backward(layer);
    if (layer % 2 != 0)
      continue;
    Bytes size = parameter_size(workload.layers[layer]);
    if (layer + 1 < layers)
      size += parameter_size(workload.layers[layer + 1]);
    reduced.push_back(builder.all_reduce(workload.layers[layer].name, size));
    builder.after(reduced.back(), {backward});
  }
  builder.after(builder.update("update"), reduced);
  const Plan plan = std::move(builder).build();
  std::uint32_t iterations = 0;
  for (auto _ : state)
    iterations = simulate(plan, cluster, {.fidelity = Fidelity::Step}).iterations;
  state.counters["all_reduces"] = static_cast<double>(reduced.size());
  state.counters["simulated_iterations"] = iterations;
  state.counters["s_per_iteration"] = benchmark::Counter(
      iterations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(every_message)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace stepcast
