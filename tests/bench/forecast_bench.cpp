// Whole forecasts through the library: build the graph, run to the steady state, make the report.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "models/schedule/builder.hpp"
#include "sim/forecast/forecast.hpp"
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
const Setup kServers{kResnet, "ps", {}, 16, {.fidelity = Fidelity::Flow}};
const Setup kTenThousand{kResnet, "dear", {}, 2560, {.fidelity = Fidelity::Flow}};
const Setup kTenThousandFolded{kResnet, "dear", {}, 2560, {.fidelity = Fidelity::Analytic}};

BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_analytic, kFolded)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_analytic_unfolded, kUnfolded)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_64_gpus_flow, kFlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, densenet201_wfbp_64_gpus_flow, kManyAllReduces)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_dear_1024_gpus_flow, kThousand)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, resnet50_ps_64_gpus_flow, kServers)->Unit(benchmark::kMillisecond);
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

// 54 ring all-reduces: one for each convolution of ResNet-50 with its BatchNorm, and one for the
// classifier.
Plan all_reduces(const Workload& workload, const Cluster& cluster) {
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
  return std::move(builder).build();
}

void simulate_all_reduces(benchmark::State& state, Fidelity fidelity) {
  const Workload workload = load_workload(kResnet);
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = static_cast<std::uint32_t>(state.range(0)) / cluster.gpus_per_node;
  const Plan plan = all_reduces(workload, cluster);
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(plan, cluster, {.fidelity = fidelity}));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void flow_of_54_all_reduces(benchmark::State& state) {
  simulate_all_reduces(state, Fidelity::Flow);
}
BENCHMARK(flow_of_54_all_reduces)
    ->Unit(benchmark::kMillisecond)
    ->Arg(1024)
    ->Arg(10240)
    ->Arg(102400);

// 21 of the 54 sizes differ, and each of these is simulated once.
void every_message(benchmark::State& state) {
  simulate_all_reduces(state, Fidelity::Step);
}
BENCHMARK(every_message)->Unit(benchmark::kMillisecond)->Arg(64)->Arg(256)->Iterations(1);

// All of 54 sizes of about 1.9 MB: on 64 GPUs 54 x 126 steps x 64 messages = 435,456, on 256
// 7,050,240.
void every_message_of_54_sizes(benchmark::State& state) {
  const Workload workload = load_workload(kResnet);
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = static_cast<std::uint32_t>(state.range(0)) / cluster.gpus_per_node;
  Builder builder("54 sizes", workload, cluster);
  builder.stream("all-reduce");
  std::vector<TaskId> reduced;
  for (int index = 0; index < 54; ++index)
    reduced.push_back(
        builder.all_reduce("gradients " + std::to_string(index), Bytes{1.9e6 + 4 * index}));
  builder.after(builder.update("update"), reduced);
  const Plan plan = std::move(builder).build();
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(plan, cluster, {.fidelity = Fidelity::Step}));
}
BENCHMARK(every_message_of_54_sizes)
    ->Unit(benchmark::kMillisecond)
    ->Arg(64)
    ->Arg(256)
    ->Iterations(1);

// One all-reduce of 25 MiB: 2,046 steps x 1,024 messages.
void every_message_of_1024_gpus(benchmark::State& state) {
  const Workload workload = load_workload(kResnet);
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 256;
  Builder builder("an all-reduce", workload, cluster);
  builder.stream("all-reduce");
  const TaskId reduced = builder.all_reduce("gradients", Bytes{25.0 * (1 << 20)});
  builder.after(builder.update("update"), {reduced});
  const Plan plan = std::move(builder).build();
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(plan, cluster, {.fidelity = Fidelity::Step}));
}
BENCHMARK(every_message_of_1024_gpus)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace stepcast
