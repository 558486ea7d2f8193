#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "traces/formats/kineto/layers/gradient_sizes.hpp"

namespace stepcast {
namespace {

using Votes = std::map<DataType, Bytes>;

/// PyTorch's name of a type; "c10::" may precede it.
std::optional<DataType> type_called(std::string_view dtype) {
  static const std::array<std::pair<std::string_view, DataType>, 13> types = {{
      {"Float", DataType::Float32},
      {"float32", DataType::Float32},
      {"float", DataType::Float32},
      {"Half", DataType::Float16},
      {"float16", DataType::Float16},
      {"half", DataType::Float16},
      {"BFloat16", DataType::BFloat16},
      {"bfloat16", DataType::BFloat16},
      {"Double", DataType::Float64},
      {"float64", DataType::Float64},
      {"double", DataType::Float64},
      {"Char", DataType::Int8},
      {"Byte", DataType::Int8},
  }};
  if (dtype.starts_with("c10::"))
    dtype.remove_prefix(5);
  if (dtype.starts_with("Float8"))
    return DataType::Int8;
  const auto* const found =
      std::ranges::find(types, dtype, [](const auto& entry) { return entry.first; });
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// Of a kernel of NCCL: its name holds the type that it sums, as NCCL or as CUDA calls it.
std::optional<DataType> type_in_kernel(std::string_view name) {
  // "bf16" and "bfloat16" first: "f16" and "float" are part of them.
  static const std::array<std::pair<std::string_view, DataType>, 8> types = {{
      {"_bf16", DataType::BFloat16},
      {"bfloat16", DataType::BFloat16},
      {"_f16", DataType::Float16},
      {"_half", DataType::Float16},
      {"_f32", DataType::Float32},
      {"_float", DataType::Float32},
      {"_f64", DataType::Float64},
      {"_double", DataType::Float64},
  }};
  const std::string_view front = name.substr(0, name.find('('));
  for (const auto& [word, type] : types)
    if (front.find(word) != std::string_view::npos)
      return type;
  return std::nullopt;
}

std::optional<DataType> type_of(const KinetoTrace& trace, const DeviceWork& work) {
  const std::string_view noted =
      work.collective == kNoEvent ? "" : std::string_view(trace.collectives[work.collective].dtype);
  return noted.empty() ? type_in_kernel(trace.name_of(trace.events[work.event]))
                       : type_called(noted);
}

}  // namespace

GradientType gradient_type_of(const KinetoTrace& trace, const KinetoView& view) {
  constexpr Bytes kUnsized{1};
  GradientType result;
  std::array<Votes, 2> votes;  // By the training thread, by others.
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep || work.launch == kNoEvent)
      continue;
    const KnownCollective known = collective_of(trace, work);
    if (!reduces(known.kind) || view.model_groups.contains(known.group))
      continue;
    result.reduced = true;
    const bool elsewhere = trace.events[work.launch].thread != view.steps.thread;
    if (const auto type = type_of(trace, work))
      votes[elsewhere ? 1 : 0][*type] += std::max(known.size, kUnsized);
  }
  const Votes& best = votes[votes[1].empty() ? 0 : 1];
  result.several = best.size() > 1;
  result.recorded = !best.empty();
  if (result.recorded)
    result.type = std::ranges::max_element(best, {}, &Votes::value_type::second)->first;
  return result;
}

void count_doubts(const GradientType& type, const std::string& origin, ImportReport& report) {
  if (type.reduced && !type.recorded)
    report.doubt("gradients of an unknown type, taken as fp32", origin);
  if (type.several)
    report.doubt("gradients of several types, taken as the one of the most bytes", origin);
}

}  // namespace stepcast
