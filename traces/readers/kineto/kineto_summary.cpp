#include "traces/readers/kineto/kineto_summary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace stepcast {
namespace {

using Interval = std::pair<Seconds, Seconds>;

/// The union of intervals that are in order of their begin.
std::vector<Interval> united(const std::vector<Interval>& intervals) {
  std::vector<Interval> merged;
  for (const auto& [begin, end] : intervals) {
    if (merged.empty() || begin > merged.back().second)
      merged.emplace_back(begin, end);
    else
      merged.back().second = std::max(merged.back().second, end);
  }
  return merged;
}

Seconds length_of(const std::vector<Interval>& merged) {
  Seconds length{};
  for (const auto& [begin, end] : merged)
    length += end - begin;
  return length;
}

Seconds common_length(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  Seconds length{};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Seconds begin = std::max(a[i].first, b[j].first);
    const Seconds end = std::min(a[i].second, b[j].second);
    if (end > begin)
      length += end - begin;
    a[i].second < b[j].second ? ++i : ++j;
  }
  return length;
}

void add_overlap(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::vector<Interval> computing;
  std::vector<Interval> communicating;
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    (work.phase == WorkPhase::Communication ? communicating : computing)
        .emplace_back(event.start, event.end());
  }
  const auto all = united(communicating);
  summary.overlapped_communication = common_length(united(computing), all);
  summary.exposed_communication = length_of(all) - summary.overlapped_communication;
}

/// Kernels by phase; copies within the device and fills apart, as other tools count them.
std::string category_of(const KinetoTrace& trace, const DeviceWork& work) {
  const KinetoEvent& event = trace.events[work.event];
  if (event.kind == KinetoKind::Fill)
    return "fill";
  if (event.kind == KinetoKind::Copy && work.phase != WorkPhase::InputCopy &&
      work.phase != WorkPhase::OutputCopy)
    return "device-copy";
  return name_of(work.phase);
}

void add_categories(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::map<std::string, TraceSummary::Category> by_name;
  for (const DeviceWork& work : view.work) {
    TraceSummary::Category& category = by_name[category_of(trace, work)];
    category.time += trace.events[work.event].duration;
    ++category.count;
  }
  for (auto& [name, category] : by_name) {
    category.name = name;
    summary.categories.push_back(category);
  }
}

void add_collectives(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::map<std::tuple<std::string, Bytes>, CollectiveSummary> found;
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const std::string kind = known.kind ? name_of(*known.kind) : "unknown";
    CollectiveSummary& entry = found[{kind, known.size}];
    entry.kind = kind;
    entry.size = known.size;
    entry.time += trace.events[work.event].duration;
    ++entry.count;
  }
  for (const auto& [key, entry] : found)
    summary.collectives.push_back(entry);
}

void add_steps(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  for (const KinetoStep& step : view.steps.steps)
    summary.steps.push_back({.name = step.name, .duration = step.duration()});
  for (const DeviceWork& work : view.work) {
    if (work.step == kNoStep)
      continue;
    StepSummary& step = summary.steps[work.step];
    (work.phase == WorkPhase::Communication ? step.communication : step.device) +=
        trace.events[work.event].duration;
    ++step.work;
  }
}

}  // namespace

TraceSummary summarize(const KinetoTrace& trace, const KinetoView& view) {
  TraceSummary summary{.format = "kineto"};
  summary.facts = {{"device", trace.device_name.empty() ? "not recorded" : trace.device_name},
                   {"steps by", view.steps.how}};
  if (trace.rank)
    summary.facts.emplace_back("rank", fmt::format("{}", *trace.rank));
  if (trace.world_size)
    summary.facts.emplace_back("ranks", fmt::format("{}", *trace.world_size));
  add_steps(trace, view, summary);
  add_categories(trace, view, summary);
  add_collectives(trace, view, summary);
  add_overlap(trace, view, summary);
  return summary;
}

}  // namespace stepcast
