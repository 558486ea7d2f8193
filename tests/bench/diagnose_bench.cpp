// What diagnosing a job of 64 ranks costs: some 1,800 operations a rank over its steps, or in each.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/edits/recipes.hpp"
#include "sim/jobs/job_replay.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/made_profiles.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

constexpr double kMebibyte = 1048576;

/// 64 ranks, 45 steps of 41 operations: 19 passes each way, two collectives and the optimiser.
MadeJob long_job() {
  MadeJob made{.ranks = 64, .steps = 45, .micro_batches = 19};
  made.pass = [](int rank, int step, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.1 * scatter(rank, step, batch));
  };
  return made;
}

Job read_long(const std::string& text) {
  ImportReport report;
  Job job = read_operations_csv(text, "job.csv", {}, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

// Run it alone (--benchmark_filter) for the memory: the figure is of the process.
void diagnose_64_ranks(benchmark::State& state) {
  const std::string text = long_job().text();
  for (auto _ : state) {
    const Job job = read_long(text);
    benchmark::DoNotOptimize(diagnose(job));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) * 1024 / kMebibyte;
}
BENCHMARK(diagnose_64_ranks)->Unit(benchmark::kMillisecond);

/// 64 ranks, 10 steps of 1,653 operations: 330 micro-batches in 4 stages.
MadePipeline long_pipeline() {
  MadePipeline made{.copies = 16, .micro_batches = 330, .steps = 10, .message = 0.001};
  made.gather = made.sum = made.tied = made.norm = made.update = 0.01;
  made.forward = [](int stage, int copy, int step) {
    return 0.010 * (1 + 0.1 * scatter(stage, copy, step));
  };
  return made;
}

void read_64_stages(benchmark::State& state) {
  const std::string text = long_pipeline().text();
  ImportReport report;
  for (auto _ : state)
    benchmark::DoNotOptimize(read_operations_csv(text, "job.csv", {}, report));
}
BENCHMARK(read_64_stages)->Unit(benchmark::kMillisecond)->UseRealTime();

void align_64_stages(benchmark::State& state) {
  ImportReport report;
  const Job job = read_operations_csv(long_pipeline().text(), "job.csv", {}, report);
  for (auto _ : state) {
    state.PauseTiming();
    Job aligned = job;
    state.ResumeTiming();
    benchmark::DoNotOptimize(put_on_one_clock(aligned));
  }
}
BENCHMARK(align_64_stages)->Unit(benchmark::kMillisecond)->UseRealTime();

void diagnose_64_stages(benchmark::State& state) {
  const Job job = read_long(long_pipeline().text());
  for (auto _ : state)
    benchmark::DoNotOptimize(diagnose(job));
}
BENCHMARK(diagnose_64_stages)->Unit(benchmark::kMillisecond)->UseRealTime();

void replay_64_stages(benchmark::State& state) {
  const Job job = read_long(long_pipeline().text());
  const JobReplay replay(job);
  for (auto _ : state)
    benchmark::DoNotOptimize(replay.replay_if([](const JobOperation&) { return true; }));
}
BENCHMARK(replay_64_stages)->Unit(benchmark::kMillisecond)->UseRealTime();

// A profile of one rank and many short steps: linear in their number.
void diagnose_many_steps(benchmark::State& state) {
  const MadeProfiles made{.ranks = 1, .steps = static_cast<int>(state.range(0)), .layers = 2};
  const std::vector<std::string> texts = made.texts();
  for (auto _ : state) {
    ImportReport report;
    Job job = read_profiled_job({text_stream(texts.front(), "0.json")}, {}, report);
    job.clocks = put_on_one_clock(job);
    benchmark::DoNotOptimize(diagnose(job));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(diagnose_many_steps)
    ->Unit(benchmark::kMillisecond)
    ->RangeMultiplier(4)
    ->Range(500, 8000)
    ->Complexity(benchmark::oNLogN);

void replay_64_ranks(benchmark::State& state) {
  const Job job = read_long(long_job().text());
  const JobReplay replay(job);
  for (auto _ : state)
    benchmark::DoNotOptimize(replay.replay_if([](const JobOperation&) { return true; }));
}
BENCHMARK(replay_64_ranks)->Unit(benchmark::kMillisecond);

// One step of 64 ranks, edited and replayed: what a candidate of the search costs.
void edit_64_ranks(benchmark::State& state) {
  const Job job = read_long(long_job().text());
  const RecordedSteps steps = editable_steps(job, 1);
  const EditRequest edit = parse_edit_request("scale rank=3 work=compute by=0.9");
  for (auto _ : state)
    benchmark::DoNotOptimize(steps.step.time(edited(steps.step.graphs, edit, steps.step)));
}
BENCHMARK(edit_64_ranks)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
