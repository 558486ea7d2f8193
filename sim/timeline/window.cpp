#include "sim/timeline/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

// The window is painted in layers: what the class computes; where it computes nothing, the tasks of
// its other streams; where there are none either, the waits of its communications for their last
// member. So every moment is one thing, the one that decides, and the parts add up to the iteration
// to the last digit. What overlaps within a layer goes to the piece that began first. Sorting each
// layer makes it O(tasks log tasks); painting goes through each once.

namespace stepcast {

namespace {

// Rounding leaves gaps of 1e-16 of the clock between tasks that follow each other; they are closed.
constexpr double kSliver = 1e-11;

/// Wraps [start, end) into [0, length) and adds the parts.
void add_wrapped(std::vector<Piece>& pieces, TaskId task, Seconds start, Seconds end,
                 const Timeline& timeline) {
  const Seconds length = timeline.iteration_time;
  if (end <= start)
    return;
  const Seconds offset = start - timeline.begin;
  Seconds since = offset - std::floor(offset / length) * length;
  for (Seconds until = since + (end - start); until > Seconds{}; until -= length, since -= length)
    pieces.push_back({task, since, std::max(since, Seconds{}), std::min(until, length)});
}

void sort_by_begin(std::vector<Piece>& pieces) {
  std::ranges::sort(pieces, [](const Piece& a, const Piece& b) {
    return std::tie(a.begin, a.since, a.task) < std::tie(b.begin, b.since, b.task);
  });
}

/// Fills the window from the top layer down: what a layer leaves open, the next one fills.
class Painter {
 public:
  Painter(Seconds length, std::array<std::vector<Piece>, 3> layers)
      : sliver_(length * kSliver), layers_(std::move(layers)) {
    for (std::vector<Piece>& pieces : layers_)
      sort_by_begin(pieces);
    paint(0, Seconds{}, length);
  }

  std::vector<Segment> take() { return std::move(segments_); }

 private:
  static constexpr std::array kActivities = {Activity::Compute, Activity::OtherStream,
                                             Activity::Waiting};

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
  std::array<std::vector<Piece>, 3> layers_;
  std::array<std::size_t, 3> next_{};
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Seconds> latest_ready_of(const Plan& plan, const Timeline& timeline) {
  std::vector<Seconds> latest(plan.graph.size());
  for (TaskId id = 0; id < latest.size(); ++id) {
    if (plan.graph.task(id).kind != TaskKind::Communication)
      continue;
    for (ClassId c = 0; c < timeline.classes.size(); ++c)
      if (const Interval& interval = timeline.at(1, id, c); interval.end >= Seconds{})
        latest[id] = std::max(latest[id], interval.ready);
  }
  return latest;
}

namespace {

/// Time of the compute stream, by class.
std::vector<Seconds> compute_times(const Plan& plan, const Timeline& timeline) {
  std::vector<Seconds> busy(timeline.classes.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    if (plan.graph.task(id).stream != 0)
      continue;
    for (ClassId c = 0; c < busy.size(); ++c)
      if (const Interval& interval = timeline.at(1, id, c); interval.end >= Seconds{})
        busy[c] += interval.end - interval.start;
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

Window window_of(const Plan& plan, const Timeline& timeline, ClassId rank_class,
                 std::span<const Seconds> latest_ready) {
  Window window{.rank_class = rank_class, .length = timeline.iteration_time};
  if (window.length <= Seconds{})
    return window;
  std::vector<Piece> compute;
  std::vector<Piece> other;
  std::vector<Piece> waiting;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    const Interval& interval = timeline.at(1, id, rank_class);
    if (interval.end < Seconds{})
      continue;
    add_wrapped(task.stream == 0 ? compute : other, id, interval.start, interval.end, timeline);
    if (task.kind != TaskKind::Communication)
      continue;
    add_wrapped(window.communications, id, interval.start, interval.end, timeline);
    add_wrapped(waiting, id, interval.ready, std::min(interval.start, latest_ready[id]), timeline);
  }
  sort_by_begin(window.communications);
  window.segments =
      Painter(window.length, {std::move(compute), std::move(other), std::move(waiting)}).take();
  return window;
}

}  // namespace stepcast
