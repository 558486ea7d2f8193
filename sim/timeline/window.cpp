#include "sim/timeline/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "sim/timeline/recorded_time.hpp"

// The window is painted in layers: what the class computes; where it computes nothing, the tasks of
// its other streams; where there are none either, the waits of its communications for their last
// member; and last what the host launches, most of it ahead of the device. So every moment is one
// thing, the one that decides, and the parts add up to the iteration to the last digit. What
// overlaps within a layer goes to the piece that began first. Sorting each layer makes it O(tasks
// log tasks) at most; painting goes through each once. Steps that were recorded once for all the
// times that they come are put in as often, last: O(segments of the whole iteration).

namespace stepcast {

namespace {

// Rounding leaves gaps of 1e-16 of the clock between tasks that follow each other; they are closed.
constexpr double kSliver = 1e-11;
constexpr double kForever = 1e300;

/// Wraps [start, end) into [0, length) and adds the parts.
void add_wrapped(std::vector<Piece>& pieces, TaskId task, Seconds start, Seconds end,
                 Seconds window_begin, Seconds length) {
  if (end <= start)
    return;
  const Seconds offset = start - window_begin;
  Seconds since = offset;
  if (offset < Seconds{} || offset >= length)
    since -= std::floor(offset / length) * length;
  for (Seconds until = since + (end - start); until > Seconds{}; until -= length, since -= length)
    pieces.push_back({task, since, std::max(since, Seconds{}), std::min(until, length)});
}

bool is_before(const Piece& a, const Piece& b) {
  if (a.begin != b.begin)
    return a.begin < b.begin;
  return std::tie(a.since, a.task) < std::tie(b.since, b.task);
}

// Tasks of a stream come in order, and those of several in few rows that are: rows are merged, two
// and two, until one is left. O(pieces log rows).
void sort_by_begin(std::vector<Piece>& pieces) {
  std::vector<std::ptrdiff_t> ends;  // of rows
  for (auto row = pieces.begin(); row != pieces.end();) {
    row = std::is_sorted_until(row, pieces.end(), is_before);
    ends.push_back(row - pieces.begin());
  }
  std::vector<Piece> merged(ends.size() > 1 ? pieces.size() : 0);
  while (ends.size() > 1) {
    std::vector<std::ptrdiff_t> ends_merged;
    std::ptrdiff_t begin = 0;
    for (std::size_t row = 0; row < ends.size(); row += 2) {
      const std::ptrdiff_t middle = ends[row];
      const std::ptrdiff_t end = row + 1 < ends.size() ? ends[row + 1] : middle;
      std::merge(pieces.begin() + begin, pieces.begin() + middle, pieces.begin() + middle,
                 pieces.begin() + end, merged.begin() + begin, is_before);
      ends_merged.push_back(begin = end);
    }
    pieces.swap(merged);
    ends.swap(ends_merged);
  }
}

/// Fills the window from the top layer down: what a layer leaves open, the next one fills.
class Painter {
 public:
  Painter(Seconds length, std::array<std::vector<Piece>, 4> layers)
      : sliver_(length * kSliver), layers_(std::move(layers)) {
    for (std::vector<Piece>& pieces : layers_)
      sort_by_begin(pieces);
    paint(0, Seconds{}, length);
  }

  std::vector<Segment> take() { return std::move(segments_); }

 private:
  static constexpr std::array kActivities = {Activity::Compute, Activity::OtherStream,
                                             Activity::Waiting, Activity::OtherStream};

  // Calls for one layer come in order of time, so that `next_` only moves forward.
  void paint(std::size_t layer, Seconds from, Seconds to) {
    if (layer == layers_.size())
      return emit(Activity::Idle, kNone, from, to);
    const std::vector<Piece>& pieces = layers_[layer];
    std::size_t& next = next_[layer];
    while (from < to) {
      while (next < pieces.size() && pieces[next].end <= from + sliver_)
        ++next;
      if (next == pieces.size() || pieces[next].begin >= to)
        return paint(layer + 1, from, to);
      const Piece& piece = pieces[next];
      if (piece.begin > from + sliver_) {
        paint(layer + 1, from, piece.begin);
        from = piece.begin;
      }
      const Seconds end = piece.end + sliver_ >= to ? to : piece.end;
      emit(kActivities[layer], piece.task, from, end);
      from = end;
    }
  }

  void emit(Activity activity, TaskId task, Seconds begin, Seconds end) {
    segments_.push_back({activity, task, begin, end});
  }

  Seconds sliver_;
  std::array<std::vector<Piece>, 4> layers_;
  std::array<std::size_t, 4> next_{};
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Seconds> latest_ready_of(const Plan& plan, const Timeline& timeline) {
  const Places& places = timeline.places;
  std::vector<Seconds> latest(plan.graph.size());
  for (TaskId id = 0; id < latest.size(); ++id) {
    if (plan.graph.task(id).kind != TaskKind::Communication)
      continue;
    for (std::uint32_t place = places.first_of(id); place < places.first_of(id + 1); ++place)
      if (const Interval& interval = timeline.intervals[1][place]; interval.end >= Seconds{})
        latest[id] = std::max(latest[id], interval.ready);
  }
  return latest;
}

namespace {

/// Time of the compute stream, by class.
std::vector<Seconds> compute_times(const Plan& plan, const Timeline& timeline) {
  const std::vector<std::uint32_t> times = times_of_tasks(plan);
  std::vector<Seconds> busy(timeline.classes.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    if (plan.graph.task(id).stream != 0)
      continue;
    for (ClassId c = 0; c < busy.size(); ++c)
      if (const Interval& interval = timeline.at(1, id, c); interval.end >= Seconds{})
        busy[c] += (interval.end - interval.start) * times[id];
  }
  return busy;
}

}  // namespace

Extremes extremes_of(const Plan& plan, const Timeline& timeline) {
  const std::vector<Seconds> busy = compute_times(plan, timeline);
  Extremes found;
  for (ClassId c = 1; c < busy.size(); ++c) {
    if (busy[c] <= Seconds{})  // serves and does not train
      continue;
    if (busy[c] > busy[found.slowest] * (1 + 1e-9))
      found.slowest = c;
    if (busy[c] < busy[found.fastest] * (1 - 1e-9))
      found.fastest = c;
  }
  for (ClassId c = 0; c < busy.size(); ++c)
    if (busy[c] >= busy[found.slowest] * (1 - 1e-9))
      found.as_slow.push_back(c);
  return found;
}

namespace {

/// The part of `piece` in [begin, end), `shift` later.
template <class Part>
void add_part(std::vector<Part>& parts, Part piece, Seconds begin, Seconds end, Seconds shift) {
  piece.begin = std::max(piece.begin, begin) + shift;
  piece.end = std::min(piece.end, end) + shift;
  if constexpr (std::is_same_v<Part, Piece>)
    piece.since += shift;
  if (piece.end > piece.begin)
    parts.push_back(piece);
}

/// What was cut at the border of a stretch is joined again.
void join(std::vector<Segment>& segments) {
  std::size_t kept = 0;
  for (const Segment& next : segments)
    if (Segment* last = kept > 0 ? &segments[kept - 1] : nullptr;
        last && last->task == next.task && last->activity == next.activity)
      last->end = next.end;
    else
      segments[kept++] = next;
  segments.resize(kept);
}

/// With the stretch, from `begin` to `end`, as often as it comes. What is left over from the row of
/// steps before it is, in all but the first of them, left over from the row itself.
template <class Part>
std::vector<Part> repeated(const std::vector<Part>& parts, const RepeatedSteps& steps,
                           Seconds begin, Seconds end) {
  std::vector<Part> result;
  for (const Part& part : parts)
    add_part(result, part, Seconds{}, begin, Seconds{});
  for (std::uint32_t time = 0; time < steps.times; ++time)
    for (Part part : parts) {
      if (part.begin >= end)
        break;
      if (part.end <= begin)
        continue;
      if (time > 0 && steps.holds(part.task + steps.tasks()))
        part.task += steps.tasks();
      add_part(result, part, begin, end, (end - begin) * time);
    }
  for (const Part& part : parts)
    add_part(result, part, end, Seconds{kForever}, (end - begin) * (steps.times - 1.0));
  return result;
}

/// From the last to the first, so that those to come still lie where they were recorded.
void repeat_stretches(Window& window, std::vector<RecordedStretch> stretches) {
  std::ranges::sort(stretches, std::ranges::greater{}, &RecordedStretch::begin);
  for (const RecordedStretch& stretch : stretches) {
    const Seconds end = stretch.begin + stretch.whole;
    window.segments = repeated(window.segments, stretch.steps, stretch.begin, end);
    join(window.segments);
    window.communications = repeated(window.communications, stretch.steps, stretch.begin, end);
    window.length += stretch.whole * (stretch.steps.times - 1.0);
  }
}

}  // namespace

Window window_of(const Plan& plan, const Timeline& timeline, ClassId rank_class,
                 std::span<const Seconds> latest_ready) {
  Window window{.rank_class = rank_class, .length = recorded_time(plan, timeline)};
  if (window.length <= Seconds{})
    return window;
  std::vector<Piece> compute;
  std::vector<Piece> other;
  std::vector<Piece> waiting;
  std::vector<Piece> host;
  const auto add = [&](std::vector<Piece>& pieces, TaskId task, Seconds start, Seconds end) {
    add_wrapped(pieces, task, start, end, timeline.begin, window.length);
  };
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    const Interval& interval = timeline.at(1, id, rank_class);
    if (interval.end < Seconds{})
      continue;
    add(task.stream == 0           ? compute
        : task.stream == plan.host ? host
                                   : other,
        id, interval.start, interval.end);
    if (task.kind != TaskKind::Communication)
      continue;
    add(window.communications, id, interval.start, interval.end);
    add(waiting, id, interval.ready, std::min(interval.start, latest_ready[id]));
  }
  sort_by_begin(window.communications);
  window.segments = Painter(window.length, {std::move(compute), std::move(other),
                                            std::move(waiting), std::move(host)})
                        .take();
  repeat_stretches(window, stretches_of(plan, timeline));
  return window;
}

Window compute_window_of(const Plan& plan, const Timeline& timeline, ClassId rank_class,
                         std::span<const TaskId> tasks) {
  Window window{.rank_class = rank_class, .length = recorded_time(plan, timeline)};
  if (window.length <= Seconds{})
    return window;
  std::vector<Piece> compute;
  for (const TaskId id : tasks) {
    const Interval& interval = timeline.at(1, id, rank_class);
    add_wrapped(compute, id, interval.start, interval.end, timeline.begin, window.length);
  }
  window.segments = Painter(window.length, {std::move(compute), {}, {}}).take();
  repeat_stretches(window, stretches_of(plan, timeline));
  return window;
}

}  // namespace stepcast
