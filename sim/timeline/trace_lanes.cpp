#include "sim/timeline/trace_lanes.hpp"

#include <algorithm>
#include <tuple>

namespace stepcast {

namespace {

std::vector<Slice> single_slices(const Plan& plan, const Timeline& timeline, ClassId rank_class) {
  std::vector<Slice> slices;
  for (int k = 0; k < 2; ++k) {
    if (timeline.intervals[k].empty())
      continue;
    for (TaskId id = 0; id < plan.graph.size(); ++id) {
      const Interval& interval = timeline.at(k, id, rank_class);
      if (interval.end >= Seconds{})
        slices.push_back({.task = id,
                          .iteration = k,
                          .stream = plan.graph.task(id).stream,
                          .start = interval.start,
                          .end = interval.end});
    }
  }
  std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
    return std::tie(a.stream, a.start, a.end, a.iteration, a.task) <
           std::tie(b.stream, b.start, b.end, b.iteration, b.task);
  });
  return slices;
}

bool ran_as_one(const Plan& plan, const Slice& a, const Slice& b) {
  return a.stream == b.stream && a.start == b.start && a.end == b.end && a.end > a.start &&
         a.iteration == b.iteration && plan.graph.task(a.task).kind == TaskKind::Communication;
}

/// Puts every slice into the first lane of its stream that is free when it starts.
void assign_lanes(TraceLanes& lanes) {
  std::vector<Seconds> busy_until;
  StreamId stream = 0;
  for (Slice& slice : lanes.slices) {
    if (slice.stream != stream)
      busy_until.clear();
    stream = slice.stream;
    const auto free =
        std::ranges::find_if(busy_until, [&slice](Seconds until) { return until <= slice.start; });
    slice.lane = static_cast<std::uint32_t>(free - busy_until.begin());
    if (free == busy_until.end())
      busy_until.push_back(slice.end);
    else
      *free = slice.end;
    lanes.lanes_of_stream[stream] = std::max(lanes.lanes_of_stream[stream], slice.lane + 1);
  }
}

}  // namespace

TraceLanes lanes_of(const Plan& plan, const Timeline& timeline, ClassId rank_class) {
  TraceLanes lanes;
  lanes.lanes_of_stream.assign(plan.streams.size(), 1);
  for (std::vector<std::uint32_t>& slice_of : lanes.slice_of)
    slice_of.assign(plan.graph.size(), kNone);
  for (const Slice& slice : single_slices(plan, timeline, rank_class)) {
    if (!lanes.slices.empty() && ran_as_one(plan, lanes.slices.back(), slice))
      ++lanes.slices.back().count;
    else
      lanes.slices.push_back(slice);
    lanes.slice_of[slice.iteration][slice.task] =
        static_cast<std::uint32_t>(lanes.slices.size() - 1);
  }
  assign_lanes(lanes);
  return lanes;
}

}  // namespace stepcast
