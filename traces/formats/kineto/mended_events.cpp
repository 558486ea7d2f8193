#include "traces/formats/kineto/mended_events.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace stepcast {

namespace {

constexpr Seconds kRounding{2e-6};  // Older traces hold whole microseconds of the device.
constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

/// When the work of a stream begins that was seen last, and when that behind it does.
struct StreamFront {
  Seconds begin = kNever;
  Seconds next = kNever;
};

}  // namespace

void end_work_before_next(KinetoTrace& trace, ImportReport& report) {
  constexpr std::size_t kShown = 40;
  if (!trace.streams_in_order)
    return;
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (is_device_work(trace.events[i].kind))
      work.push_back(i);
  const auto begin_of = [&](std::uint32_t i) { return trace.events[i].start; };
  std::ranges::stable_sort(work, std::greater<>{}, begin_of);
  std::unordered_map<std::int32_t, StreamFront> fronts;
  std::vector<std::uint32_t> cut;
  for (const std::uint32_t i : work) {
    KinetoEvent& event = trace.events[i];
    StreamFront& front = fronts[event.stream];
    if (event.start < front.begin)
      front = {.begin = event.start, .next = front.begin};
    if (event.end() <= front.next + kRounding)
      continue;
    event.duration = front.next - event.start;
    cut.push_back(i);
  }
  for (auto i = cut.rbegin(); i != cut.rend(); ++i)
    report.doubt("device work that lasted into the next of its stream, ended where that begins",
                 fmt::format("{} at {:.6f} s", trace.name_of(trace.events[*i]).substr(0, kShown),
                             trace.events[*i].start.value));
}

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
