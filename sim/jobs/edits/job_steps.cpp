#include "sim/jobs/edits/job_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/counted_delays.hpp"
#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/jobs/job_pace.hpp"
#include "sim/jobs/job_replay.hpp"
#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

/// Start-up and seconds a byte of the collectives of a kind.
struct TransferLine {
  double startup = 0;
  double per_byte = 0;
  std::uint32_t ranks = 0;
  bool one_size = true;
};

/// Of the steps that did not stall those whose recorded lengths are nearest to the median.
std::vector<std::uint32_t> usual_steps(const std::vector<double>& lengths,
                                       const std::vector<bool>& stalled, std::size_t most) {
  std::vector<std::uint32_t> steps;
  std::vector<double> usual;
  for (std::uint32_t step = 0; step < lengths.size(); ++step)
    if (!stalled[step]) {
      steps.push_back(step);
      usual.push_back(lengths[step]);
    }
  const double middle = middle_of(usual);
  std::ranges::stable_sort(steps, {},
                           [&](std::uint32_t step) { return std::abs(lengths[step] - middle); });
  steps.resize(std::min(most, steps.size()));
  std::ranges::sort(steps);
  return steps;
}

/// But for the order of streams, which the graph knows.
void add_edges(const JobStep& step, WorkGraph& graph) {
  const auto is_in_order = [&](const JobOperation& first, const JobOperation& second) {
    return first.rank == second.rank && first.stream == second.stream && first.stream != kBeside;
  };
  for (const auto& [before, after] : step.edges)
    if (!is_in_order(step.operations[before], step.operations[after]))
      graph.edges.push_back({before, after});
  for (const Arrivals& arrivals : step.arrivals) {
    const auto came =
        arrivals.in_order([&](std::uint32_t place) { return step.operations[place].end; });
    for (std::size_t i = 0; i < came.size(); ++i)
      graph.edges.push_back({came[i], arrivals.takers[i]});
  }
}

/// Where clocks are so far apart that something would wait for itself: without these.
void add_if_it_can_run(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                       WorkGraph& graph) {
  const std::size_t known = graph.edges.size();
  for (const auto& [before, after] : edges)
    graph.edges.push_back({before, after});
  if (!edges.empty() && !can_run(graph))
    graph.edges.resize(known);
}

class JobGraphs {
 public:
  explicit JobGraphs(const Job& job) : job_(job), replay_(job) {}

  RecordedSteps run(std::size_t most) {
    const std::vector<double> lengths = replay_.recorded();
    const std::vector<bool> stalled = stalled_steps_of(job_);
    std::vector<Seconds> all;
    for (const double length : lengths)
      all.push_back(Seconds{length});
    RecordedSteps result{.pace = pace_of(all, stalled)};
    for (const std::uint32_t step : usual_steps(lengths, stalled, most)) {
      result.step.graphs.push_back(graph_of(step));
      recorded_.push_back(lengths[step]);
    }
    find_lines(result.step.notes);
    result.step.time = replay_graphs;
    result.step.ratio = ratio();
    result.recorded = result.pace.usual;
    note_chosen(result);
    check(result);
    return result;
  }

 private:
  WorkGraph graph_of(std::uint32_t number) const;
  void add_streams(const JobStep& step, WorkGraph& graph) const;
  void find_lines(std::vector<std::string>& notes);
  TransferRatio ratio() const;
  void note_chosen(RecordedSteps& result) const;
  void check(RecordedSteps& result) const;

  const Job& job_;
  JobReplay replay_;
  std::vector<double> recorded_;
  std::map<std::string, TransferLine> lines_;
};

/// Gains are told beside the steps that are edited, whose mean may be another than that of all.
void JobGraphs::note_chosen(RecordedSteps& result) const {
  constexpr double kApart = 0.005;
  const double sum = std::accumulate(recorded_.begin(), recorded_.end(), 0.0);
  const Seconds mean{sum / static_cast<double>(recorded_.size())};
  if (std::abs(mean / result.recorded - 1) > kApart)
    result.step.notes.push_back(
        fmt::format("of {} usual steps the {} nearest to their median are edited, which take {} on "
                    "average as recorded, and all together {}",
                    result.pace.usual_steps, recorded_.size(), format_seconds(mean),
                    format_seconds(result.recorded)));
}

/// Named after what most of their operations do: "compute", "communication 2".
void JobGraphs::add_streams(const JobStep& step, WorkGraph& graph) const {
  std::vector<std::int64_t> transfers;
  for (const JobOperation& done : step.operations) {
    transfers.resize(std::max<std::size_t>(transfers.size(), done.stream + 1U));
    transfers[done.stream] += job_.kinds[done.kind].work == JobWork::Transfer ? 1 : -1;
  }
  std::map<std::string, int> seen;
  for (const std::int64_t more : transfers) {
    const std::string name = more > 0 ? "communication" : "compute";
    const int before = seen[name]++;
    graph.streams.push_back({before == 0 ? name : fmt::format("{} {}", name, before + 1),
                             graph.streams.size() != kBeside});
  }
}

WorkGraph JobGraphs::graph_of(std::uint32_t number) const {
  const JobStep& step = job_.steps[number];
  WorkGraph graph;
  for (const JobRank& rank : job_.ranks)
    graph.stages.push_back(rank.stage);
  add_streams(step, graph);
  std::vector<std::uint32_t> names;
  std::vector<std::uint32_t> kinds;
  for (const JobKind& kind : job_.kinds) {
    names.push_back(graph.names.number_of(kind.name));
    kinds.push_back(graph.kinds.number_of(kind.part));
  }
  const StepGraph& order = replay_.graph(number);
  std::vector<double> delays = delays_that_count(replay_, number);
  const auto behind = asked_behind(replay_, number, delays);
  for (std::uint32_t place = 0; place < step.operations.size(); ++place) {
    const JobOperation& done = step.operations[place];
    const JobKind& kind = job_.kinds[done.kind];
    WorkNode node{.name = names[done.kind],
                  .kind = kinds[done.kind],
                  .stream = done.stream,
                  .rank = done.rank,
                  .origin = place,
                  .communicates = kind.work == JobWork::Transfer,
                  .duration = Seconds{replay_.actual(number)[place]},
                  .delay = Seconds{delays[place] + replay_.waits(number)[place]},
                  .size = kind.size};
    if (kind.work == JobWork::Forward || kind.work == JobWork::Backward)
      node.layer = graph.layers.number_of(fmt::format("chunk {}", done.chunk));
    node.meeting = order.meeting_of(place).empty() ? kNone : done.meeting;
    graph.nodes.push_back(node);
  }
  add_edges(step, graph);
  add_if_it_can_run(behind, graph);
  return graph;
}

void JobGraphs::find_lines(std::vector<std::string>& notes) {
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  replay_.for_each([&](const ReplayedOperation& of) {
    if (!of.transfers() || !(of.kind.size > Bytes{}))
      return;
    points[of.kind.part].emplace_back(of.kind.size.value, of.actual);
    lines_[of.kind.part].ranks = std::max(lines_[of.kind.part].ranks, of.kind.ranks);
  });
  std::vector<std::string> unknown;
  for (auto& [kind, all] : points) {
    std::ranges::sort(all);
    TransferLine& line = lines_[kind];
    line.one_size = all.front().first == all.back().first;
    line.per_byte = line.one_size ? 0 : std::max(0.0, median_slope_of(all));
    std::vector<double> rests;
    for (const auto& [size, time] : all)
      rests.push_back(time - line.per_byte * size);
    line.startup = line.one_size ? 0 : std::max(0.0, middle_of(rests));
    if (line.one_size)
      line.per_byte = middle_of(rests) / all.front().first;
    if (line.one_size)
      unknown.push_back(kind);
  }
  if (!unknown.empty())
    notes.push_back(
        fmt::format("of {} one size was recorded only: its start-up is taken as "
                    "nothing, and other sizes as proportional",
                    fmt::join(unknown, ", ")));
}

TransferRatio JobGraphs::ratio() const {
  return [lines = lines_](const std::string& kind, const WorkNode& node, Bytes to,
                          std::uint32_t members, std::uint32_t members_then) {
    const Bytes from = node.size;
    const auto found = lines.find(kind);
    double startups = 1;
    double shares = 1;
    if (members > 1 && members_then > 1) {
      const auto rounds = [](std::uint32_t ranks) { return static_cast<double>(ranks) - 1; };
      startups = rounds(members_then) / rounds(members);
      shares = startups * members / members_then;
    }
    if (found == lines.end())
      return from > Bytes{} ? to / from * shares : shares;
    const TransferLine& line = found->second;
    const double before = line.startup + line.per_byte * from.value;
    const double after = line.startup * startups + line.per_byte * to.value * shares;
    return before > 0 ? after / before : 1.0;
  };
}

void JobGraphs::check(RecordedSteps& result) const {
  const TimedStep timed = replay_graphs(result.step.graphs);
  for (std::size_t i = 0; i < timed.nodes.size(); ++i) {
    double last = 0;
    for (const Interval& node : timed.nodes[i])
      last = std::max(last, node.end.value);
    result.error += std::abs(last - recorded_[i]) / recorded_[i];
  }
  result.error /= static_cast<double>(timed.nodes.size());
  const std::string doubt = doubt_of_replay(job_, result.error);
  if (!doubt.empty())
    result.step.notes.insert(result.step.notes.begin(), doubt);
}

}  // namespace

RecordedSteps editable_steps(const Job& job, std::size_t most) {
  return JobGraphs(job).run(most);
}

}  // namespace stepcast
