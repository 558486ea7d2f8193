#include "sim/probe/work.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "sim/probe/triangle.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kProducts = 96;  // of each precision
constexpr std::size_t kQuickProducts = 8;
constexpr std::uint64_t kLargestSide = 4608;
constexpr double kUsableMemory = 0.85;
constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kGiB = 1U << 30;

using Sides = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // m, n, k

std::vector<KernelShape> layer_products(std::span<const Workload> workloads) {
  std::set<Sides> sides;
  for (const Workload& workload : workloads)
    for (const Layer& layer : workload.layers) {
      if (!layer.kronecker)
        continue;
      const std::uint64_t a = layer.kronecker->a;
      const std::uint64_t g = layer.kronecker->g;
      const std::uint64_t rows = layer.kronecker->rows;
      sides.insert({rows, g, a});  // forward
      sides.insert({rows, a, g});  // gradient of the input
      sides.insert({a, g, rows});  // gradient of the weight
      sides.insert({a, a, rows});  // Kronecker factors
      sides.insert({g, g, rows});
    }
  std::vector<KernelShape> shapes;
  for (const auto& [m, n, k] : sides)
    if (m > 0 && n > 0 && k > 0)
      shapes.push_back({.family = KernelFamily::GemmFp32, .m = m, .n = n, .k = k});
  std::ranges::stable_sort(shapes, {}, [](const KernelShape& s) { return flops_of(s).value; });
  return shapes;
}

template <class Item>
std::vector<Item> thinned(const std::vector<Item>& items, std::size_t most) {
  if (items.size() <= most)
    return items;
  std::vector<Item> kept;
  for (std::size_t i = 0; i < most; ++i)
    kept.push_back(items[i * (items.size() - 1) / (most - 1)]);
  return kept;
}

void add(Work& work, KernelShape shape, const MachineLimits& limits) {
  const bool fits =
      limits.memory.value == 0 || memory_of(shape).value <= kUsableMemory * limits.memory.value;
  if (!fits)
    ++work.too_large;
  else if (std::ranges::find(work.shapes, shape) == work.shapes.end())
    work.shapes.push_back(shape);
}

void add_products(Work& work, const MachineLimits& limits, std::span<const Workload> workloads,
                  bool quick) {
  const auto shapes = thinned(layer_products(workloads), quick ? kQuickProducts : kProducts);
  for (const KernelFamily precision :
       {KernelFamily::GemmFp32, KernelFamily::GemmTf32, KernelFamily::GemmBf16})
    for (KernelShape shape : shapes) {
      shape.family = precision;
      add(work, shape, limits);
    }
}

/// 64 to 4608, four steps an octave, in whole multiples of 16.
void add_inverses(Work& work, const MachineLimits& limits, bool quick) {
  const int step = quick ? 8 : 1;
  for (int i = 0; i < 25; i += step) {
    const auto sixteens = static_cast<std::uint64_t>(std::lround(4 * std::exp2(i / 4.0)));
    add(work, {.family = KernelFamily::Inverse, .size = 16 * sixteens}, limits);
  }
  if (!quick)
    add(work, {.family = KernelFamily::Inverse, .size = kLargestSide}, limits);
}

/// 1e4 to 1e8 elements, four steps a decade.
void add_selections(Work& work, const MachineLimits& limits, bool quick) {
  const int step = quick ? 4 : 1;
  for (const KernelFamily family :
       {KernelFamily::TopK, KernelFamily::ThresholdTopK, KernelFamily::ScatterAdd,
        KernelFamily::Packing, KernelFamily::Elementwise})
    for (int i = 0; i <= 16; i += step) {
      auto elements = static_cast<std::uint64_t>(std::llround(std::pow(10.0, 4 + i / 4.0)));
      if (family == KernelFamily::Packing)
        elements = packed_elements(static_cast<std::uint32_t>(side_of_packed(elements)));
      add(work, {.family = family, .size = elements}, limits);
    }
  add(work, {.family = KernelFamily::Launch, .size = 1}, limits);
}

void add_copies(Work& work, const MachineLimits& limits, bool quick) {
  std::vector<KernelFamily> families{KernelFamily::CopyDevice, KernelFamily::CopyToDevice,
                                     KernelFamily::CopyFromDevice};
  if (limits.peers)
    families.push_back(KernelFamily::CopyPeer);
  const std::uint64_t factor = quick ? 16 : 2;
  for (const KernelFamily family : families)
    for (std::uint64_t bytes = 4096; bytes <= kGiB; bytes *= factor)
      add(work,
          {.family = family, .size = bytes, .gpus = family == KernelFamily::CopyPeer ? 2U : 1U},
          limits);
}

/// 1, 2, 4, ... and all GPUs of the node; under MPI all ranks.
std::vector<std::uint32_t> gpu_counts(const MachineLimits& limits) {
  if (limits.fixed_ranks)
    return {limits.gpus};
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < limits.gpus; count *= 2)
    counts.push_back(count);
  counts.push_back(limits.gpus);
  return counts;
}

void add_collective(Work& work, KernelFamily family, std::uint32_t gpus, std::uint32_t at_once,
                    const MachineLimits& limits, bool quick) {
  const std::uint64_t share = 4ULL * gpus;  // every rank has a whole number of elements
  const std::uint64_t factor = quick ? 64 : 2;
  for (std::uint64_t bytes = at_once > 1 ? kMiB : 8; bytes <= kGiB; bytes *= factor)
    if (bytes >= share)
      add(work,
          {.family = family,
           .size = bytes / share * share,
           .gpus = gpus,
           .nodes = limits.nodes,
           .communicators = at_once},
          limits);
}

void add_collectives(Work& work, const MachineLimits& limits, bool quick) {
  for (const std::uint32_t gpus : gpu_counts(limits)) {
    for (const KernelFamily family :
         {KernelFamily::AllReduce, KernelFamily::ReduceScatter, KernelFamily::AllGather,
          KernelFamily::Broadcast, KernelFamily::Reduce, KernelFamily::AllToAll})
      add_collective(work, family, gpus, 1, limits, quick);
    add_collective(work, KernelFamily::AllReduce, gpus, 2, limits, quick);
  }
}

void add_overlaps(Work& work, const MachineLimits& limits, bool quick) {
  const std::uint64_t factor = quick ? 32 : 2;
  for (const KernelFamily family :
       {KernelFamily::OverlapCompute, KernelFamily::OverlapCommunication})
    for (std::uint64_t bytes = kMiB; bytes <= kGiB; bytes *= factor)
      add(work, {.family = family, .size = bytes, .gpus = limits.gpus, .nodes = limits.nodes},
          limits);
}

}  // namespace

Work work_of(ProbeKind kind, const MachineLimits& limits, std::span<const Workload> workloads,
             bool quick) {
  Work work;
  switch (kind) {
    case ProbeKind::Gemm:
      add_products(work, limits, workloads, quick);
      break;
    case ProbeKind::Inverse:
      add_inverses(work, limits, quick);
      break;
    case ProbeKind::Selection:
      add_selections(work, limits, quick);
      break;
    case ProbeKind::Memory:
      add_copies(work, limits, quick);
      break;
    case ProbeKind::Collectives:
      add_collectives(work, limits, quick);
      break;
    case ProbeKind::Overlap:
      add_overlaps(work, limits, quick);
      break;
  }
  return work;
}

Bytes memory_of(const KernelShape& shape) {
  constexpr double kWorkspace = 64.0 * kMiB;
  const auto size = static_cast<double>(shape.size);
  switch (unit_of(shape.family)) {
    case SizeUnit::Shape:
      return traffic_of(shape) + Bytes{kWorkspace};
    case SizeUnit::Side:
      return {3 * 4 * size * size + kWorkspace};
    case SizeUnit::Elements:
      return {3 * 4 * size + kWorkspace};
    case SizeUnit::Launches:
      return {kWorkspace};
    case SizeUnit::Volume:
      return {3 * size * shape.communicators + 2 * kWorkspace};
  }
  return {};
}

std::uint64_t kept_of(std::uint64_t elements) {
  return std::max<std::uint64_t>(1, elements / 100);
}

std::uint64_t side_of_packed(std::uint64_t elements) {
  return std::max<std::uint64_t>(1, triangle_place(elements).column);
}

}  // namespace stepcast
