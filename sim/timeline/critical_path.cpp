#include "sim/timeline/critical_path.hpp"

#include <algorithm>

#include "sim/timeline/path_walk.hpp"

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
    if (other.kind != task.kind || other.stream != task.stream)
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

}  // namespace

std::vector<PathSegment> critical_path_of(const Plan& plan, const Cluster& cluster,
                                          const Timeline& timeline, ClassId rank_class) {
  if (timeline.iteration_time <= Seconds{})
    return {};
  const PathWalk walk(plan, timeline, rank_class);
  const auto last = walk.next_iteration();
  if (!last)
    return {};
  PathWriter writer(plan, cluster, timeline);
  const Seconds stop = walk.at(*last).start - timeline.iteration_time;
  const Seconds tolerance = timeline.iteration_time * 1e-9;
  TaskRun run = *last;
  Seconds start = walk.at(run).start;
  // Every step goes back along an edge or a stream, so it ends; the bound is for timelines that
  // contradict their plan.
  for (std::size_t step = 0; step < 8 * plan.graph.size() + 8; ++step) {
    const auto earlier = start > stop + tolerance ? walk.before(run) : std::nullopt;
    if (!earlier)
      break;
    const Interval ran = walk.at(*earlier);
    if (const Seconds idle_from = std::max(ran.end, stop); start > idle_from + tolerance)
      writer.add_idle(run, idle_from, start);
    writer.add(*earlier, std::max(ran.start, stop), std::min(std::max(ran.end, stop), start));
    start = ran.start;
    run = walk.last_ready(*earlier);
  }
  if (start > stop + tolerance)
    writer.add_idle(run, stop, start);
  return writer.take();
}

}  // namespace stepcast
