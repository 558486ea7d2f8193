#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"

namespace stepcast {
namespace {

/// Of several operations the one that ended last.
std::optional<std::uint32_t> last_of(std::span<const std::uint32_t> places,
                                     const std::vector<double>& ends) {
  const auto found =
      std::ranges::max_element(places, {}, [&](std::uint32_t place) { return ends[place]; });
  return found == places.end() ? std::nullopt : std::optional(*found);
}

/// The critical path of one step, its last operation first.
class StepPath {
 public:
  StepPath(const JobReplay& replay, std::uint32_t number)
      : replay_(replay), number_(number), graph_(replay.graph(number)) {
    took_ = graph_.replay(replay.actual(number), {}, ends_);
    const auto last = std::ranges::max_element(ends_);
    std::optional<std::uint32_t> at = static_cast<std::uint32_t>(last - ends_.begin());
    while (at) {
      places_.push_back(*at);
      const std::uint32_t late = last_arrival(*at);
      changes_ += operation(late).rank == operation(*at).rank ? 0 : 1;
      at = last_of(graph_.waits_of(late), ends_);
      const auto taken = graph_.taken_by(late, ends_);
      if (taken && (!at || ends_[*taken] > ends_[*at]))
        at = taken;
    }
  }

  double took() const { return took_; }

  void add_to(PathOverRanks& path) const {
    for (const std::uint32_t place : places_) {
      path.by_rank[operation(place).rank] += own(place);
      path.by_kind[operation(place).kind] += own(place);
    }
    path.changes += changes_;
  }

  /// Work of one part on one rank, from the step's begin on.
  std::vector<PathStretch> stretches() const {
    std::vector<PathStretch> found;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
      const JobOperation& done = operation(*place);
      const std::string& part = replay_.job().kinds[done.kind].part;
      if (own(*place) <= 0)
        continue;
      if (found.empty() || found.back().rank != done.rank || found.back().part != part)
        found.push_back({done.rank, part, Seconds{ends_[*place] - own(*place)}, {}});
      found.back().duration += Seconds{own(*place)};
    }
    return found;
  }

 private:
  const JobOperation& operation(std::uint32_t place) const {
    return replay_.job().steps[number_].operations[place];
  }
  double own(std::uint32_t place) const { return replay_.actual(number_)[place]; }

  /// Of those that an operation meets; itself if it meets nobody.
  std::uint32_t last_arrival(std::uint32_t place) const {
    std::uint32_t late = place;
    const auto arrival = [&](std::uint32_t member) {
      const auto before = last_of(graph_.waits_of(member), ends_);
      return before ? ends_[*before] : 0.0;
    };
    for (const std::uint32_t member : graph_.meeting_of(place))
      if (arrival(member) > arrival(late))
        late = member;
    return late;
  }

  const JobReplay& replay_;
  std::uint32_t number_;
  const StepGraph& graph_;
  double took_ = 0;
  std::vector<double> ends_;
  std::vector<std::uint32_t> places_;
  double changes_ = 0;
};

std::size_t nearest_to_mean(const std::vector<double>& steps) {
  const double mean = mean_of(steps);
  const auto nearest =
      std::ranges::min_element(steps, {}, [&](double step) { return std::abs(step - mean); });
  return static_cast<std::size_t>(nearest - steps.begin());
}

}  // namespace

PathOverRanks path_over_ranks(const JobReplay& replay) {
  constexpr std::size_t kMostStretches = 24;
  PathOverRanks path{.by_rank = std::vector<double>(replay.job().ranks.size()),
                     .by_kind = std::vector<double>(replay.job().kinds.size())};
  std::vector<double> took;
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    const StepPath of(replay, step);
    of.add_to(path);
    took.push_back(of.took());
  }
  const auto steps = static_cast<double>(replay.steps());
  for (std::vector<double>* times : {&path.by_rank, &path.by_kind})
    for (double& time : *times)
      time /= steps;
  path.changes /= steps;
  path.step = nearest_to_mean(took);
  path.stretches = StepPath(replay, static_cast<std::uint32_t>(path.step)).stretches();
  std::ranges::stable_sort(path.stretches, std::greater<>(), &PathStretch::duration);
  path.stretches.resize(std::min(path.stretches.size(), kMostStretches));
  return path;
}

}  // namespace stepcast
