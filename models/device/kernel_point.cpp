#include "models/device/kernel_point.hpp"

#include <array>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

struct FamilyFacts {
  const char* name;
  SizeUnit unit;
};

// In the order of the enum.
constexpr FamilyFacts kFacts[] = {
    {"gemm-fp32", SizeUnit::Shape},         {"gemm-tf32", SizeUnit::Shape},
    {"gemm-bf16", SizeUnit::Shape},         {"inverse", SizeUnit::Side},
    {"top-k", SizeUnit::Elements},          {"threshold-top-k", SizeUnit::Elements},
    {"scatter-add", SizeUnit::Elements},    {"packing", SizeUnit::Elements},
    {"elementwise", SizeUnit::Elements},    {"launch", SizeUnit::Launches},
    {"copy-device", SizeUnit::Volume},      {"copy-to-device", SizeUnit::Volume},
    {"copy-from-device", SizeUnit::Volume}, {"copy-peer", SizeUnit::Volume},
    {"all-reduce", SizeUnit::Volume},       {"reduce-scatter", SizeUnit::Volume},
    {"all-gather", SizeUnit::Volume},       {"broadcast", SizeUnit::Volume},
    {"reduce", SizeUnit::Volume},           {"all-to-all", SizeUnit::Volume},
    {"overlap-compute", SizeUnit::Volume},  {"overlap-communication", SizeUnit::Volume}};

static_assert(std::size(kFacts) ==
              static_cast<std::size_t>(KernelFamily::OverlapCommunication) + 1);

constexpr auto kFamilies = [] {
  std::array<KernelFamily, std::size(kFacts)> families{};
  for (std::size_t i = 0; i < families.size(); ++i)
    families[i] = static_cast<KernelFamily>(i);
  return families;
}();

const FamilyFacts& facts_of(KernelFamily family) {
  return kFacts[static_cast<std::size_t>(family)];
}

std::string size_text(const KernelShape& shape) {
  const auto size = static_cast<double>(shape.size);
  switch (unit_of(shape.family)) {
    case SizeUnit::Shape:
      return fmt::format("{} x {} x {}", shape.m, shape.n, shape.k);
    case SizeUnit::Side:
      return fmt::format("side {}", shape.size);
    case SizeUnit::Elements:
      return fmt::format("{:.4g} elements", size);
    case SizeUnit::Launches:
      return fmt::format("{} launches", shape.size);
    case SizeUnit::Volume:
      return format_bytes({size});
  }
  return "";
}

}  // namespace

const char* name_of(KernelFamily family) {
  return facts_of(family).name;
}

std::optional<KernelFamily> find_kernel_family(std::string_view name) {
  return find_among<KernelFamily>(kFacts, name, &FamilyFacts::name);
}

std::span<const KernelFamily> all_kernel_families() {
  return kFamilies;
}

SizeUnit unit_of(KernelFamily family) {
  return facts_of(family).unit;
}

bool is_collective(KernelFamily family) {
  return family >= KernelFamily::AllReduce && family <= KernelFamily::AllToAll;
}

bool is_overlap(KernelFamily family) {
  return family >= KernelFamily::OverlapCompute;
}

Flops flops_of(const KernelShape& gemm) {
  return {2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
          static_cast<double>(gemm.k)};
}

Bytes traffic_of(const KernelShape& gemm) {
  const double input = gemm.family == KernelFamily::GemmBf16 ? 2 : 4;
  const auto m = static_cast<double>(gemm.m);
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  return {input * (m * k + k * n) + 4 * m * n};
}

std::string describe(const KernelShape& shape) {
  std::string text = size_text(shape);
  if (is_collective(shape.family))
    text += fmt::format(", {} GPU{}", shape.gpus, shape.gpus == 1 ? "" : "s");
  if (shape.nodes > 1)
    text += fmt::format(", {} nodes", shape.nodes);
  if (shape.communicators > 1)
    text += fmt::format(", {} at once", shape.communicators);
  return text;
}

}  // namespace stepcast
