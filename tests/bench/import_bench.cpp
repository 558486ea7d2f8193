// What reading a long profiler trace costs: time, and the most memory the process ever held.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "traces/formats/import.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;
constexpr int kLayers = 200;
constexpr double kMebibyte = 1048576;

std::string event(const char* category, const std::string& name, const char* thread, long start,
                  int duration, const std::string& arguments) {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": "{}", "ts": )"
                     R"({}.125, "dur": {}.5, "args": {{{}}}}},)"
                     "\n",
                     category, name, thread, start, duration, arguments);
}

/// One step of some layers: an operator, a launch and a kernel with the arguments that they have.
std::string step_text(int number, long start, long& correlation) {
  std::string text = event("user_annotation", fmt::format("ProfilerStep#{}", number), "1", start,
                           kLayers * 100, "\"External id\": 1");
  for (int layer = 0; layer < kLayers; ++layer) {
    const long at = start + layer * 100L;
    const std::string joined =
        fmt::format(R"("External id": {0}, "correlation": {0})", ++correlation);
    text += event("cpu_op", fmt::format("aten::operator{}", layer % 20), "1", at + 1, 40,
                  fmt::format(R"("Sequence number": {}, "Input Dims": [[32, 64, 56, 56], [64]])",
                              correlation));
    text += event("cuda_runtime", "cudaLaunchKernel", "1", at + 10, 5, joined + ", \"cbid\": 211");
    text += event("kernel", "void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5>(int)",
                  "7", at + 20, 60,
                  joined + R"(, "stream": 7, "device": 0, "grid": [512, 1, 1], )"
                           R"("block": [512, 1, 1], "est. achieved occupancy %": 75)");
  }
  return text;
}

/// The trace file, removed at the end.
class LongTrace {
 public:
  explicit LongTrace(std::int64_t size)
      : path_(std::filesystem::temp_directory_path() / "stepcast-long-trace.json") {
    std::ofstream file(path_);
    file << "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    long correlation = 0;
    for (int step = 0; file.tellp() < size; ++step)
      file << step_text(step, 1'700'000'000'000'000 + step * 20'000L, correlation);
    file << R"({"ph": "M", "name": "end"}]})";
  }
  ~LongTrace() { std::filesystem::remove(path_); }
  LongTrace(const LongTrace&) = delete;
  LongTrace& operator=(const LongTrace&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Run one alone (--benchmark_filter) for the memory: the figure is of the process.
template <typename Read>
void read_long_trace(benchmark::State& state, Read read) {
  const LongTrace trace(state.range(0) * kMegabyte);
  for (auto _ : state)
    read(trace.path());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) * 1024 / kMebibyte;
}

void inspect_profiler_trace_of_mb(benchmark::State& state) {
  read_long_trace(state, [](const std::filesystem::path& path) {
    ImportReport report;
    benchmark::DoNotOptimize(inspect_trace(std::span(&path, 1), {}, report));
  });
}
BENCHMARK(inspect_profiler_trace_of_mb)->Arg(150)->Unit(benchmark::kMillisecond)->Iterations(1);

void import_profiler_trace_of_mb(benchmark::State& state) {
  read_long_trace(state, [](const std::filesystem::path& path) {
    ImportReport report;
    benchmark::DoNotOptimize(import_trace(path, {.batch = 32}, report));
  });
}
BENCHMARK(import_profiler_trace_of_mb)
    ->Arg(150)
    ->Arg(170)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace stepcast
