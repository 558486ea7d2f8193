#include "sim/timeline/critical_path.hpp"

#include <algorithm>

#include "sim/timeline/path_walk.hpp"
#include "sim/timeline/recorded_time.hpp"

namespace stepcast {

namespace {

/// The start-up of a collective: what it costs with next to nothing in the buffers. One closed form
/// per kind, algorithm, team and root of a plan.
class Startups {
 public:
  Startups(const Plan& plan, const Cluster& cluster) : plan_(plan), cluster_(cluster) {}

  Seconds of(const Task& task) {
    Collective empty = plan_.collectives[task.collective].collective;
    empty.size = Bytes{1e-6};
    for (const Known& known : known_)
      if (known.team == task.team && known.collective.kind == empty.kind &&
          known.collective.algorithm == empty.algorithm && known.collective.root == empty.root)
        return known.time;
    const Group& group = plan_.teams[task.team].groups.front();
    const Seconds time = launch_of(empty, group, cluster_) + cost_of(empty, group, cluster_);
    known_.push_back({empty, task.team, time});
    return time;
  }

 private:
  struct Known {
    Collective collective;
    TeamId team = 0;
    Seconds time{};
  };
  const Plan& plan_;
  const Cluster& cluster_;
  std::vector<Known> known_;
};

/// Collects the runs of a path, latest first, and joins neighbours that are alike.
class PathWriter {
 public:
  PathWriter(const Plan& plan, const Cluster& cluster, const Timeline& timeline)
      : plan_(plan), startups_(plan, cluster), begin_(timeline.begin) {}

  void add_idle(const TaskRun& next, Seconds from, Seconds to) {
    segments_.push_back({.idle = true,
                         .first = next.task,
                         .rank_class = next.rank_class,
                         .begin = from - begin_,
                         .end = to - begin_});
  }

  void add(const TaskRun& run, Seconds from, Seconds to) {
    const Task& task = plan_.graph.task(run.task);
    if (to <= from)
      return;
    PathSegment segment{.first = run.task,
                        .last = run.task,
                        .count = 1,
                        .rank_class = run.rank_class,
                        .begin = from - begin_,
                        .end = to - begin_};
    if (task.kind == TaskKind::Communication)
      segment.startup = std::min(startups_.of(task), to - from);
    if (!segments_.empty() && alike(segments_.back(), task, run.rank_class))
      prepend(segments_.back(), segment);
    else
      segments_.push_back(segment);
  }

  std::vector<PathSegment> take() {
    std::ranges::reverse(segments_);
    return std::move(segments_);
  }

 private:
  bool alike(const PathSegment& later, const Task& task, ClassId rank_class) const {
    if (later.idle || later.rank_class != rank_class)
      return false;
    const Task& other = plan_.graph.task(later.first);
    if (other.kind != task.kind || other.stream != task.stream ||
        communicates(plan_, other) != communicates(plan_, task))
      return false;
    return task.kind != TaskKind::Communication ||
           plan_.collectives[task.collective].collective.kind ==
               plan_.collectives[other.collective].collective.kind;
  }

  static void prepend(PathSegment& later, const PathSegment& earlier) {
    later.first = earlier.first;
    later.count += earlier.count;
    later.startup += earlier.startup;
    later.begin = earlier.begin;
  }

  const Plan& plan_;
  Startups startups_;
  Seconds begin_;
  std::vector<PathSegment> segments_;
};

/// Steps that were recorded once for all the times that they come: a walk back in time that comes
/// to the row before them, which took the same course, is put back into the recorded one as often.
class RepeatedWalk {
 public:
  RepeatedWalk(const Plan& plan, const Timeline& timeline)
      : stretches_(stretches_of(plan, timeline)) {
    for (const RecordedStretch& stretch : stretches_) {
      left_.push_back(stretch.steps.times - 1);
      left_out_ += stretch.length * stretch.steps.left_out();
      rows_ += stretch.steps.left_out();
    }
  }

  /// How much later everything recorded is than it seems, as the walk has gone so far back.
  Seconds left_out() const { return left_out_; }

  /// How many rows are left out in all.
  double rows() const { return rows_; }

  /// The run to go on with instead, and how much later it is.
  Seconds put_back(TaskRun& run) {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      const RepeatedSteps& steps = stretches_[i].steps;
      if (left_[i] == 0 || run.iterations_back != 0 || !steps.holds(run.task + steps.tasks()))
        continue;
      --left_[i];
      for (std::size_t inner = 0; inner < i; ++inner)
        if (steps.holds(stretches_[inner].steps.first))
          left_[inner] = stretches_[inner].steps.times - 1;
      run.task += steps.tasks();
      left_out_ -= stretches_[i].length;
      return stretches_[i].length;
    }
    return {};
  }

 private:
  std::vector<RecordedStretch> stretches_;
  std::vector<std::uint32_t> left_;  // of each, in this round
  Seconds left_out_{};
  double rows_ = 0;
};

}  // namespace

// In recorded time, which is ahead of that of the path by what is left out of it.
std::vector<PathSegment> critical_path_of(const Plan& plan, const Cluster& cluster,
                                          const Timeline& timeline, ClassId rank_class) {
  if (timeline.iteration_time <= Seconds{})
    return {};
  PathWalk walk(plan, timeline, rank_class);
  const auto last = walk.next_iteration();
  if (!last)
    return {};
  PathWriter writer(plan, cluster, timeline);
  RepeatedWalk repeated(plan, timeline);
  Seconds left_out = repeated.left_out();
  const Seconds length = recorded_time(plan, timeline);
  const Seconds first = walk.at(*last).start - length;
  const Seconds tolerance = length * 1e-9;
  TaskRun run = *last;
  Seconds start = walk.at(run).start;
  // Every step goes back along an edge or a stream, so it ends; the bound is for timelines that
  // contradict their plan.
  const double most = 8 * static_cast<double>(plan.graph.size()) * (1 + repeated.rows()) + 8;
  for (double step = 0; step < most; ++step) {
    const Seconds stop = first - left_out;
    const auto earlier = start > stop + tolerance ? walk.before(run) : std::nullopt;
    if (!earlier)
      break;
    const Interval ran = walk.at(*earlier);
    const Seconds end = std::min(std::max(ran.end, stop), start);
    if (start > end + tolerance)
      writer.add_idle(run, end + left_out, start + left_out);
    writer.add(*earlier, std::max(ran.start, stop) + left_out, end + left_out);
    run = walk.last_ready(*earlier);
    const Seconds later = repeated.put_back(run);
    start = std::min(ran.start, start) + later;
    left_out = repeated.left_out();
  }
  if (const Seconds stop = first - left_out; start > stop + tolerance)
    writer.add_idle(run, stop + left_out, start + left_out);
  return writer.take();
}

}  // namespace stepcast
