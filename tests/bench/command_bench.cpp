// Commands as Python calls them: options in, JSON out, without a process. What
// tests/python/bench.py is held against.
#include <algorithm>
#include <string>

#include <benchmark/benchmark.h>

#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"

namespace stepcast {
namespace {

void run_command(benchmark::State& state, const std::string& workload) {
  const std::pair<std::string, std::string> given[] = {{"--workload", workload},
                                                       {"--cluster", "rtx2080ti-16x4-10gbe"},
                                                       {"--schedule", "dear"},
                                                       {"--fidelity", "analytic"},
                                                       {"--json", ""}};
  std::uint32_t nodes = 1;
  for (auto _ : state) {
    const KeptOutput output;
    const auto command = make_run_command();
    auto options = command->options();
    for (const auto& [name, text] : given)
      assign(*std::ranges::find(options, name, &CommandOption::name), {text});
    nodes = nodes % 16 + 1;
    assign(*std::ranges::find(options, "--nodes", &CommandOption::name), {std::to_string(nodes)});
    benchmark::DoNotOptimize(command->run());
  }
}

BENCHMARK_CAPTURE(run_command, resnet50_analytic, std::string("resnet50-rtx2080ti-bs64"))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
