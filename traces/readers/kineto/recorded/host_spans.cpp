#include "traces/readers/kineto/recorded/host_spans.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// The idle stretch in which `time` lies, or null.
const HostSpan* span_at(const std::vector<HostSpan>& spans, Seconds time) {
  const auto after = std::ranges::upper_bound(spans, time, {}, &HostSpan::begin);
  if (after == spans.begin() || time > std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

}  // namespace

std::vector<std::uint32_t> host_events(const KinetoTrace& trace, const KinetoView& view,
                                       std::uint16_t thread, const KinetoStep& step) {
  const auto& order = view.scopes.by_thread[thread];
  const auto start_of = [&](std::uint32_t i) { return trace.events[i].start; };
  std::vector<std::uint32_t> found;
  for (auto at = std::ranges::lower_bound(order, step.begin, {}, start_of);
       at != order.end() && start_of(*at) < step.end; ++at) {
    const KinetoKind kind = trace.events[*at].kind;
    if (kind == KinetoKind::Operator || kind == KinetoKind::Runtime)
      found.push_back(*at);
  }
  return found;
}

std::vector<HostSpan> idle_spans(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step) {
  std::vector<HostSpan> idle;
  Seconds busy_until = step.begin;
  for (const std::uint32_t index : host_events(trace, view, thread, step)) {
    const KinetoEvent& event = trace.events[index];
    if (event.start > busy_until)
      idle.push_back({busy_until, event.start});
    busy_until = std::max(busy_until, event.end());
  }
  if (step.end > busy_until)
    idle.push_back({busy_until, step.end});
  return idle;
}

std::vector<HostBurst> bursts_of(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step,
                                 const std::vector<HostSpan>& idle) {
  std::vector<HostBurst> bursts;
  for (const std::uint32_t index : host_events(trace, view, thread, step)) {
    const KinetoEvent& event = trace.events[index];
    const HostSpan* span = span_at(idle, event.start);
    const bool same =
        !bursts.empty() &&
        (span == nullptr || (bursts.back().called && bursts.back().idle.begin == span->begin));
    if (!same)
      bursts.push_back({.busy = {event.start, event.start},
                        .idle = span == nullptr ? HostSpan{} : *span,
                        .called = span != nullptr});
    bursts.back().busy.end = std::max(bursts.back().busy.end, event.end());
  }
  return bursts;
}

}  // namespace stepcast
