// Predicts products on a made-up GPU from half of them. What makes up the times knows nothing of
// the model: it walks through a tiled kernel step by step, chooses tiles and splits by a rule of
// thumb as a library does, and adds noise.

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "sim/probe/work.hpp"
#include "sim/study/validate/hardware_fit.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct MadeUpGpu {
  double multiprocessors = 132;
  double flops_of_one = 6.5e12;      // a multiprocessor's, tensor cores
  double cache_bytes_of_one = 40e9;  // a multiprocessor's share of the L2 cache, bytes/s
  double memory = 4.0e12;            // bytes/s
  double noise = 0.03;               // standard deviation of the logarithm
};

/// A tile of 128 x 128, or smaller ones for narrow matrices; splits the sum if half of the
/// multiprocessors would be idle.
double made_up_time(const MadeUpGpu& gpu, const KernelShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double tile_m = m > 96 ? 128 : 64;
  const double tile_n = n > 96 ? 128 : n > 48 ? 64 : 32;
  const double tiles = std::ceil(m / tile_m) * std::ceil(n / tile_n);
  double parts = 1;
  while (tiles * parts * 2 <= gpu.multiprocessors && k / parts >= 512)
    parts *= 2;
  const double bytes = shape.family == KernelFamily::GemmBf16 ? 2 : 4;
  const double steps = std::ceil(k / parts / 32);
  const double step = std::hypot(2 * tile_m * tile_n * 32 / gpu.flops_of_one,
                                 bytes * 32 * (tile_m + tile_n) / (gpu.cache_bytes_of_one * 8));
  const double waves = tiles * parts / gpu.multiprocessors;
  // Blocks of different waves overlap in part.
  const double effective_waves = std::max(1.0, 0.6 * std::ceil(waves) + 0.4 * waves);
  const double kernel = effective_waves * (1.2e-6 + steps * step);
  const double traffic = traffic_of(shape).value / gpu.memory;
  const double reduction = parts > 1 ? 2.5e-6 + 4 * m * n * parts / gpu.memory : 0;
  return 2.2e-6 + std::pow(std::pow(kernel, 4) + std::pow(traffic, 4), 0.25) + reduction;
}

HardwareResults made_up_results(const MadeUpGpu& gpu, KernelFamily family) {
  HardwareResults results{.device = "madeup"};
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, gpu.noise);
  std::vector<Workload> workloads;
  for (const std::string& name : list_names(CatalogKind::Workload))
    workloads.push_back(load_workload(name));
  for (KernelShape shape : work_of(ProbeKind::Gemm, {}, workloads, false).shapes)
    if (shape.family == family)
      results.points.push_back({.shape = shape,
                                .time = {made_up_time(gpu, shape) * std::exp(noise(random))},
                                .check = std::nullopt});
  return results;
}

const MadeUpGpu kSmaller{.multiprocessors = 68, .flops_of_one = 2e11, .memory = 5.5e11};
const MadeUpGpu kTf32{.flops_of_one = 3e12};
const MadeUpGpu kFp32{.flops_of_one = 4e11};

double median_error(const MadeUpGpu& gpu, KernelFamily family) {
  const std::vector files{made_up_results(gpu, family)};
  return validate_hardware(files).families.at(0).errors.median;
}

TEST(GemmPrediction, IsWithinSevenPerCentInTheMedianOnTensorCores) {
  EXPECT_LT(median_error({}, KernelFamily::GemmBf16), 0.07);
  EXPECT_LT(median_error(kTf32, KernelFamily::GemmTf32), 0.07);
}

TEST(GemmPrediction, IsWithinSevenPerCentInTheMedianWithoutThem) {
  EXPECT_LT(median_error(kFp32, KernelFamily::GemmFp32), 0.07);
  EXPECT_LT(median_error(kSmaller, KernelFamily::GemmFp32), 0.07);
}

}  // namespace
}  // namespace stepcast
