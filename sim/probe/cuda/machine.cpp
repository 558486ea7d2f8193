#include "sim/probe/cuda/machine.hpp"

#include <fstream>
#include <regex>
#include <string>

#include <cusolverDn.h>
#include <fmt/format.h>

#include "sim/probe/cuda/support.hpp"
#include "sim/probe/cuda/world/nccl_world.hpp"

namespace stepcast {
namespace {

/// The first match of a pattern with one group in a file; "" if there is none.
std::string first_match(const char* file, const char* pattern) {
  std::ifstream lines(file);
  const std::regex wanted(pattern);
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, found, wanted))
      return found[1];
  return "";
}

/// CUDA counts 13000 for 13.0.
std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string driver_version() {
  const std::string exact = first_match("/proc/driver/nvidia/version", R"((\d+\.\d+(\.\d+)?))");
  if (!exact.empty())
    return exact;
  int version = 0;
  check(cudaDriverGetVersion(&version), "the driver");
  return "for CUDA " + cuda_version(version);
}

std::string runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "the CUDA runtime");
  return cuda_version(version);
}

/// Returns the version of a library, each part of which `part_of` writes.
template <class PartOf>
std::string library_version(PartOf part_of) {
  int parts[3] = {0, 0, 0};
  const libraryPropertyType kinds[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i)
    part_of(kinds[i], &parts[i]);
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

}  // namespace

Machine machine_of_device() {
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "the GPU's properties");
  Machine machine{.gpu = static_cast<const char*>(properties.name),
                  .capability = fmt::format("{}.{}", properties.major, properties.minor),
                  .memory = {static_cast<double>(properties.totalGlobalMem)},
                  .processor = first_match("/proc/cpuinfo", R"(model name\s*:\s*(.*\S))"),
                  .driver = driver_version(),
                  .libraries = {}};
  machine.libraries = {{"cuda-runtime", runtime_version()},
                       {"cublas", library_version([](libraryPropertyType kind, int* part) {
                          check(cublasGetProperty(kind, part), "cuBLAS");
                        })},
                       {"cusolver", library_version(cusolverGetProperty)}};
  if (has_nccl())
    machine.libraries["nccl"] = nccl_version();
  return machine;
}

}  // namespace stepcast
