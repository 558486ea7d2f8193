#include "traces/readers/kineto/far_events.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {
namespace {

constexpr Seconds kDay{86'400};

Seconds median_start(const KinetoTrace& trace) {
  std::vector<Seconds> starts(trace.events.size());
  std::ranges::transform(trace.events, starts.begin(), &KinetoEvent::start);
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::ranges::nth_element(starts, middle);
  return *middle;
}

bool is_far(const KinetoEvent& event, Seconds median) {
  return event.start > median + kDay || event.start < median - kDay;
}

}  // namespace

void drop_far_events(KinetoTrace& trace, ImportReport& report) {
  if (trace.events.empty())
    return;
  const Seconds median = median_start(trace);
  const auto far = [&](const KinetoEvent& event) { return is_far(event, median); };
  if (std::ranges::none_of(trace.events, far))
    return;
  std::deque<KinetoEvent> kept;
  std::unordered_map<std::uint32_t, std::uint64_t> record_ids;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const KinetoEvent& event = trace.events[i];
    if (far(event)) {
      report.skip("event that starts more than a day from most others", trace.name_of(event));
      continue;
    }
    if (const auto id = trace.record_ids.find(i); id != trace.record_ids.end())
      record_ids.emplace(static_cast<std::uint32_t>(kept.size()), id->second);
    kept.push_back(event);
  }
  trace.events = std::move(kept);
  trace.record_ids = std::move(record_ids);
}

}  // namespace stepcast
