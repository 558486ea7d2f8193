// What a search for edits of a recorded step costs.
#include <benchmark/benchmark.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/edit_graph.hpp"

namespace stepcast {
namespace {

EditableStep step_of(std::uint32_t ranks, std::uint32_t layers) {
  EditableStep step;
  step.graphs = {reduced_layers(ranks, layers)};
  step.time = replay_graphs;
  step.ratio = [](const std::string& /*kind*/, const WorkNode& node, Bytes to, std::uint32_t,
                  std::uint32_t) { return (1e6 + to.value) / (1e6 + node.size.value); };
  return step;
}

// By ranks and layers: each layer has four kernels each way and an all-reduce.
void search_edits(benchmark::State& state) {
  const EditableStep step = step_of(static_cast<std::uint32_t>(state.range(0)),
                                    static_cast<std::uint32_t>(state.range(1)));
  EditedStep found;
  for (auto _ : state) {
    found = {};
    edit_step(step, {}, true, found);
  }
  state.counters["nodes"] = static_cast<double>(step.graphs.front().nodes.size());
  state.counters["replays"] = static_cast<double>(found.simulated);
  state.counters["step_ms"] = 1e3 * found.step_after.value;
}
BENCHMARK(search_edits)
    ->Args({8, 50})
    ->Args({64, 50})
    ->Args({64, 200})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
