// Forecasts of second-order training: every rank differs, so little folds. A negotiation without a
// cycle has one phase instead of eight, and with ports that compute leaves alone it is what was
// simulated before there were phases: the engine by itself.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "sim/engine/steps.hpp"
#include "sim/forecast/forecast.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

void kfac(benchmark::State& state, const char* schedule, Fidelity fidelity, bool phases) {
  const Workload workload = load_workload("resnet152-rtx2080ti-bs8");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  if (!phases)
    cluster.overlap.communication_slowdown = 0;
  const ScheduleOptions options = effective_options(
      schedule_of(schedule), phases ? ScheduleOptions{} : ScheduleOptions{{"cycle", "0ms"}});
  for (auto _ : state) {
    const Plan plan = build_plan(schedule, workload, cluster, options);
    const Timeline timeline = simulate(plan, cluster, {.fidelity = fidelity});
    benchmark::DoNotOptimize(make_forecast(workload, cluster, plan, options, fidelity, timeline));
  }
}

/// A period of 500 steps, of which three kinds are simulated; with its report.
void kaisa_every_500_steps(benchmark::State& state, Fidelity fidelity) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  const ScheduleOptions options =
      effective_options(schedule_of("kaisa"), {{"inverse_interval", "500"}});
  for (auto _ : state) {
    Plan plan = build_plan("kaisa", workload, cluster, options);
    const Timeline timeline = simulate_steps(plan, cluster, {.fidelity = fidelity});
    benchmark::DoNotOptimize(make_forecast(workload, cluster, plan, options, fidelity, timeline));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK_CAPTURE(kaisa_every_500_steps, analytic, Fidelity::Analytic)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(kaisa_every_500_steps, flow, Fidelity::Flow)->Unit(benchmark::kMillisecond);

/// The longest of the nine ways of `solve`: the step time alone, in periods of 100 steps.
void kaisa_step_time_every_100_steps(benchmark::State& state) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  const ScheduleOptions options = effective_options(
      schedule_of("kaisa"), {{"factor_interval", "10"}, {"inverse_interval", "100"}});
  for (auto _ : state)
    benchmark::DoNotOptimize(
        step_time_of(build_plan("kaisa", workload, cluster, options), cluster, {}));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(kaisa_step_time_every_100_steps)->Unit(benchmark::kMillisecond);

void register_all(const char* schedule) {
  for (const auto& [name, fidelity] :
       {std::pair{"analytic", Fidelity::Analytic}, std::pair{"flow", Fidelity::Flow}})
    for (const bool phases : {true, false})
      benchmark::RegisterBenchmark(std::string("resnet152_")
                                       .append(schedule)
                                       .append("_64_gpus_")
                                       .append(name)
                                       .append(phases ? "" : "_one_phase")
                                       .c_str(),
                                   kfac, schedule, fidelity, phases)
          ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const char* schedule : {"d-kfac", "mpd-kfac", "kaisa", "spd-kfac", "pad-kfac", "dp-kfac"})
    register_all(schedule);
  return true;
}();

}  // namespace
}  // namespace stepcast
