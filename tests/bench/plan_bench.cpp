// Searches for a capacity plan on two cores: bounds of all candidates, then simulations.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kTwoCores = 2;

void search(benchmark::State& state, PlanRequest request) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  request.prices = "rented-2024";
  CapacityPlan plan;
  for (auto _ : state)
    plan = search_plan(plan_space_of(request), kTwoCores, request.most_simulated, [] {});
  state.counters["candidates"] = static_cast<double>(plan.space.candidates.size());
  state.counters["simulated"] = static_cast<double>(plan.choices.size());
  state.counters["open"] = static_cast<double>(plan.open);
}

// GPT-3 175B on 512 and 1,024 A100: every layout, batch, order, recomputation and ZeRO stage.
const PlanRequest kLayouts{.workload = "transformer:model=gpt3-175b",
                           .clusters = {"dgx-a100"},
                           .gpus = {512, 1024},
                           .global_batch = 1536,
                           .most_simulated = 50};
BENCHMARK_CAPTURE(search, all_layouts_of_gpt3_on_two_sizes, kLayouts)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// Clusters, sizes, schedules and buffers of a model that fits one GPU.
PlanRequest data_parallel() {
  PlanRequest request{.workload = "resnet50-rtx2080ti-bs64",
                      .clusters = {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"},
                      .most_simulated = 20'000};
  for (std::uint32_t gpus = 4; gpus <= 256; gpus += 4)
    request.gpus.push_back(gpus);
  ListedOption buffers{.name = "fusion_buffer"};
  for (int mebibytes = 2; mebibytes <= 72; mebibytes += 2)
    buffers.values.push_back(std::to_string(mebibytes) + "MiB");
  request.options.push_back(buffers);
  return request;
}
BENCHMARK_CAPTURE(search, data_parallel_on_two_networks, data_parallel())
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace stepcast
