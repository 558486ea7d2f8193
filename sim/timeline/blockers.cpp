#include "sim/timeline/blockers.hpp"

#include <algorithm>
#include <optional>

namespace stepcast {

namespace {

/// Bytes of a communication, with the tensors that a negotiated stream fused with it.
Bytes fused_size(const Plan& plan, const Timeline& timeline, ClassId rank_class, TaskId id) {
  const Task& task = plan.graph.task(id);
  if (!std::holds_alternative<Negotiated>(plan.streams[task.stream].rule))
    return plan.collectives[task.collective].collective.size;
  const Interval& mine = timeline.at(1, id, rank_class);
  Bytes size;
  for (TaskId other = 0; other < plan.graph.size(); ++other) {
    const Task& peer = plan.graph.task(other);
    if (peer.kind != TaskKind::Communication || peer.stream != task.stream)
      continue;
    if (const Interval& interval = timeline.at(1, other, rank_class);
        interval.start == mine.start && interval.end == mine.end)
      size += plan.collectives[peer.collective].collective.size;
  }
  return size;
}

/// Walks the segments of a window and closes a gap at each compute segment.
class BlockerFinder {
 public:
  BlockerFinder(const Plan& plan, const Timeline& timeline, const Window& window)
      : plan_(plan), timeline_(timeline), window_(window), sizes_(plan.graph.size()) {}

  std::vector<Blocker> find() {
    const auto size = window_.segments.size();
    for (std::size_t i = 0; i < size; ++i) {
      const Segment& segment = window_.segments[i];
      if (segment.activity != Activity::Compute)
        add(segment);
      else if (gap_ < found_.size())
        close_gap(i, false);
    }
    if (gap_ < found_.size())
      close_gap(first_compute(), true);
    std::ranges::stable_sort(found_, std::ranges::greater{}, &Blocker::time);
    return std::move(found_);
  }

 private:
  void add(const Segment& segment) {
    if (gap_ == found_.size() || !continues(found_.back(), segment))
      found_.push_back({.activity = segment.activity, .first = segment.task});
    Blocker& blocker = found_.back();
    blocker.time += segment.end - segment.begin;
    if (segment.task == kNone || (segment.task == blocker.last && blocker.count > 0))
      return;
    blocker.last = segment.task;
    ++blocker.count;
    if (plan_.graph.task(segment.task).kind == TaskKind::Communication)
      blocker.size += size_of(segment.task);
  }

  Bytes size_of(TaskId id) {
    if (!sizes_[id])
      sizes_[id] = fused_size(plan_, timeline_, window_.rank_class, id);
    return *sizes_[id];
  }

  bool continues(const Blocker& blocker, const Segment& segment) const {
    if (blocker.activity != segment.activity)
      return false;
    if (segment.task == kNone)
      return true;
    const Task& before = plan_.graph.task(blocker.last);
    const Task& now = plan_.graph.task(segment.task);
    if (before.kind != now.kind || now.kind != TaskKind::Communication)
      return before.kind == now.kind;
    return plan_.collectives[before.collective].collective.kind ==
           plan_.collectives[now.collective].collective.kind;
  }

  /// Names the compute segment `next` as the one that the open gap held back.
  void close_gap(std::size_t next, bool next_step) {
    if (next < window_.segments.size()) {
      const TaskId first = window_.segments[next].task;
      const TaskId last = last_of_run(next);
      for (; gap_ < found_.size(); ++gap_) {
        found_[gap_].blocked = first;
        found_[gap_].blocked_last = last;
        found_[gap_].next_step = next_step;
      }
    }
    gap_ = found_.size();
  }

  std::size_t first_compute() const {
    return static_cast<std::size_t>(
        std::ranges::find(window_.segments, Activity::Compute, &Segment::activity) -
        window_.segments.begin());
  }

  TaskId last_of_run(std::size_t i) const {
    const TaskKind kind = plan_.graph.task(window_.segments[i].task).kind;
    TaskId last = window_.segments[i].task;
    for (; i < window_.segments.size(); ++i) {
      const Segment& segment = window_.segments[i];
      if (segment.activity != Activity::Compute || plan_.graph.task(segment.task).kind != kind)
        break;
      last = segment.task;
    }
    return last;
  }

  const Plan& plan_;
  const Timeline& timeline_;
  const Window& window_;
  std::vector<std::optional<Bytes>> sizes_;  // of communications, with what was fused with them
  std::vector<Blocker> found_;
  std::size_t gap_ = 0;  // found_[gap_..] are the blockers of the gap that is open
};

}  // namespace

std::vector<Blocker> blockers_of(const Plan& plan, const Timeline& timeline, const Window& window) {
  return BlockerFinder(plan, timeline, window).find();
}

}  // namespace stepcast
