#include <algorithm>
#include <map>
#include <optional>

#include "models/collective/collective.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "traces/job/streams/stream_timeline.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMost = 64;

/// When a rank computes in a step.
class ComputingTimes {
 public:
  /// In order of begins.
  void add(double begin, double end) {
    const double from = pieces_.empty() ? begin : std::max(begin, pieces_.back().end);
    if (end > from)
      pieces_.push_back({from, end, pieces_.empty() ? 0 : pieces_.back().until()});
  }

  /// How much of the time from one instant to another it does not.
  double idle(double begin, double end) const {
    return std::max(0.0, end - begin - (before(end) - before(begin)));
  }

 private:
  struct Piece {
    double begin, end;
    double computed;  // Before it.
    double until() const { return computed + end - begin; }
  };

  /// How long it has computed at an instant.
  double before(double time) const {
    const auto after = std::ranges::upper_bound(pieces_, time, {}, &Piece::begin);
    if (after == pieces_.begin())
      return 0;
    const Piece& last = *std::prev(after);
    return last.computed + std::min(time, last.end) - last.begin;
  }

  std::vector<Piece> pieces_;
};

std::vector<ComputingTimes> computing_times(const Job& job, const JobStep& step) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < step.operations.size(); ++place)
    if (computes(job.kinds[step.operations[place].kind]))
      places.push_back(place);
  std::ranges::stable_sort(places, {},
                           [&](std::uint32_t place) { return step.operations[place].begin; });
  std::vector<ComputingTimes> times(job.ranks.size());
  for (const std::uint32_t place : places) {
    const JobOperation& done = step.operations[place];
    times[done.rank].add(done.begin.value, done.end.value);
  }
  return times;
}

std::optional<CollectiveKind> collective_of(const JobKind& kind) {
  if (kind.purpose == JobPurpose::Message)
    return CollectiveKind::Send;
  const auto found = find_collective_kind(kind.part);
  return found ? found : collective_by_name(kind.part);
}

/// Adds up meetings of one kind among the same ranks.
class MeetingSums {
 public:
  explicit MeetingSums(const JobReplay& replay) : replay_(replay), job_(replay.job()) {}

  void add_step(std::uint32_t number) {
    const auto computing = computing_times(job_, job_.steps[number]);
    for (const JobMeeting& meeting : job_.steps[number].meetings)
      if (!replay_.graph(number).meeting_of(meeting.members.front()).empty())
        add(number, meeting, computing);
  }

  std::vector<MeetingCost> costs() const {
    std::vector<MeetingCost> costs;
    for (const auto& [group, sum] : sums_)
      costs.push_back(mean_of_steps(job_.kinds[group.first], sum));
    std::ranges::stable_sort(costs, [](const MeetingCost& a, const MeetingCost& b) {
      return std::pair(a.idle(), a.transfer) > std::pair(b.idle(), b.transfer);
    });
    costs.resize(std::min(costs.size(), kMost));
    return costs;
  }

 private:
  using Group = std::pair<std::uint16_t, std::vector<std::uint32_t>>;  // Kind and ranks.

  void add(std::uint32_t number, const JobMeeting& meeting,
           const std::vector<ComputingTimes>& computing) {
    const auto& operations = job_.steps[number].operations;
    Group group{operations[meeting.members.front()].kind, {}};
    for (const std::uint32_t member : meeting.members)
      group.second.push_back(operations[member].rank);
    MeetingCost& sum = sums_[group];
    sum.ranks = group.second;
    sum.message = meeting.message;
    sum.count += 1;
    const auto members = static_cast<double>(meeting.members.size());
    for (const std::uint32_t member : meeting.members) {
      const JobOperation& done = operations[member];
      const double end = done.end.value;
      const double own = replay_.actual(number)[member];
      const double met = std::max(done.begin.value, end - own);
      sum.transfer += Seconds{own / members};
      sum.exposed += Seconds{computing[done.rank].idle(met, end) / members};
      sum.waiting += Seconds{computing[done.rank].idle(done.begin.value, met) / members};
      sum.size = std::max(sum.size, job_.kinds[done.kind].size);
    }
  }

  MeetingCost mean_of_steps(const JobKind& kind, MeetingCost sum) const {
    constexpr Seconds kNone{1e-9};  // What ends with its chunks takes no time of its own.
    const auto steps = static_cast<double>(replay_.steps());
    sum.collective = collective_of(kind);
    sum.joins = kind.ranks > 0 ? kind.ranks : static_cast<std::uint32_t>(sum.ranks.size());
    const Seconds once = sum.transfer / sum.count;
    if (sum.collective && sum.size > Bytes{} && once > kNone)
      sum.bus_bandwidth = sum.size / once * bus_factor(*sum.collective, sum.joins);
    sum.name = kind.name;
    sum.count /= steps;
    for (Seconds MeetingCost::*time :
         {&MeetingCost::transfer, &MeetingCost::exposed, &MeetingCost::waiting})
      sum.*time = sum.*time / steps;
    return sum;
  }

  const JobReplay& replay_;
  const Job& job_;
  std::map<Group, MeetingCost> sums_;
};

}  // namespace

std::vector<MeetingCost> meeting_costs(const JobReplay& replay) {
  MeetingSums sums(replay);
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    sums.add_step(step);
  return sums.costs();
}

}  // namespace stepcast
