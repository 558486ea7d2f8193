// Benchmarks on the memory that the program keeps.
#include <benchmark/benchmark.h>

#include "sim/cli/freed_memory.hpp"

int main(int argc, char** argv) {
  stepcast::keep_freed_memory();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
