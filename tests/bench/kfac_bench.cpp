// Forecasts of second-order training: every rank differs, so little folds. A negotiation without a
// cycle has one phase instead of eight, and with ports that compute leaves alone it is what was
// simulated before there were phases: the engine by itself.
#include <benchmark/benchmark.h>

#include "sim/study/forecast.hpp"
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
