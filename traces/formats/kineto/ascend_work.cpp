#include "traces/formats/kineto/ascend_work.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/base/error.hpp"
#include "traces/formats/kineto/groups/process_groups.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kCollective = "hcom_";
constexpr std::string_view kArrow = "async_npu";  // Its category.

bool is_collective(const ChromeEvent& event) {
  return event.name.starts_with(kCollective) && event.name.find('@') == std::string::npos;
}

std::string place_of(const ChromeEvent& event) {
  return event.process + "/" + event.thread;
}

/// By the names that releases of CANN give the tasks of its cores: "AI_CORE", "MIX_AIV",
/// "KERNEL_AICPU".
bool computes(std::string_view task) {
  constexpr std::array<std::string_view, 8> kParts = {"AI_CORE", "AI_VECTOR", "AI_CPU", "AICPU",
                                                      "MIX",     "KERNEL",    "DSA",    "FFTS"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return task.find(part) != std::string_view::npos; });
}

}  // namespace

bool AscendWork::has(const ChromeEvent& event) {
  return (event.category.empty() || event.category == "Ascend Hardware") &&
         (is_collective(event) || event.find("Task Type") != nullptr);
}

bool AscendWork::takes(const ChromeEvent& event) {
  if (!is_collective(event))
    return computes(event.text("Task Type"));
  return processes_.try_emplace(event.name, event.process).first->second == event.process;
}

std::int32_t AscendWork::stream_of(const ChromeEvent& event) {
  constexpr std::uint64_t kFirstUnnumbered = kStreamsOfADevice / 2;
  if (const auto noted = event.number("Stream Id"); is_count(noted))
    return static_cast<std::int32_t>(std::min(count_of(noted), kFirstUnnumbered - 1));
  const auto next = static_cast<std::int32_t>(
      kFirstUnnumbered + std::min<std::uint64_t>(streams_.size(), kFirstUnnumbered - 1));
  return streams_.try_emplace(place_of(event), next).first->second;
}

void AscendWork::add(const ChromeEvent& event, std::uint32_t index) {
  work_.emplace_back(index, Place{place_of(event), event.start->value});
}

bool AscendWork::is_arrow(const ChromeEvent& event) {
  return event.category == kArrow && event.start && !event.id.empty() &&
         (event.phase == 's' || event.phase == 'f');
}

void AscendWork::begin_arrow(const ChromeEvent& event, std::uint16_t thread) {
  begins_.insert_or_assign(event.id, Launch{thread, *event.start});
}

void AscendWork::end_arrow(const ChromeEvent& event) {
  ends_.insert_or_assign(Place{place_of(event), event.start->value}, event.id);
}

void AscendWork::add_launches(KinetoTrace& trace) const {
  if (ends_.empty())
    return;
  const auto name = static_cast<std::uint32_t>(trace.names.size());
  trace.names.emplace_back("torch_to_npu");
  std::int64_t correlation = 0;
  for (const auto& [index, place] : work_) {
    const auto end = ends_.find(place);
    const auto begin = end == ends_.end() ? begins_.end() : begins_.find(end->second);
    if (begin == begins_.end())
      continue;
    trace.events[index].joint = ++correlation;
    trace.events.push_back({.start = begin->second.start,
                            .joint = correlation,
                            .name = name,
                            .thread = begin->second.thread,
                            .kind = KinetoKind::Runtime});
  }
}

void require_arrows(const KinetoTrace& trace, const std::string& origin) {
  const auto is_launched = [](const KinetoEvent& event) {
    return is_device_work(event.kind) && event.joint >= 0;
  };
  if (trace.of_ascend && std::ranges::none_of(trace.events, is_launched))
    throw InputError(origin +
                     ": is a trace of Ascend's profiler without arrows \"torch_to_npu\" from "
                     "operators to their kernels, of which \"stepcast inspect\" alone shows the "
                     "times: record it with the activities CPU and NPU and export trace_view.json");
}

}  // namespace stepcast
