#include "sim/jobs/step_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace {

/// Each taker behind all that may arrive, for the order in which operations are replayed.
std::vector<std::pair<std::uint32_t, std::uint32_t>> behind_arrivals(const JobStep& step) {
  auto edges = step.edges;
  for (const JobArrivals& arrivals : step.arrivals)
    for (const std::uint32_t taker : arrivals.takers)
      for (const std::uint32_t place : arrivals.of)
        edges.emplace_back(place, taker);
  return edges;
}

/// Each taker behind what it took.
std::vector<std::pair<std::uint32_t, std::uint32_t>> as_recorded(const JobStep& step) {
  auto edges = step.edges;
  for (const JobArrivals& arrivals : step.arrivals) {
    const auto came = in_order_of_ends(arrivals, step);
    for (std::size_t i = 0; i < came.size(); ++i)
      edges.emplace_back(came[i], arrivals.takers[i]);
  }
  return edges;
}

std::vector<std::uint32_t> members_of_each(const JobStep& step) {
  std::vector<std::uint32_t> counts;
  for (const JobMeeting& meeting : step.meetings)
    counts.push_back(static_cast<std::uint32_t>(meeting.members.size()));
  return counts;
}

/// The operations that wait for none, the last one first.
std::vector<std::uint32_t> last_first(const std::vector<std::uint32_t>& missing) {
  std::vector<std::uint32_t> ready;
  for (auto place = static_cast<std::uint32_t>(missing.size()); place-- > 0;)
    if (missing[place] == 0)
      ready.push_back(place);
  return ready;
}

/// Who waits for each operation, in order of the edges.
class Followers {
 public:
  Followers(std::size_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges)
      : begin_(count + 1), all_(edges.size()) {
    for (const auto& [before, after] : edges)
      ++begin_[before + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i)
      begin_[i] += begin_[i - 1];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [before, after] : edges)
      all_[next[before]++] = after;
  }

  std::span<const std::uint32_t> of(std::uint32_t place) const {
    return std::span(all_).subspan(begin_[place], begin_[place + 1] - begin_[place]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> all_;
};

}  // namespace

StepGraph::StepGraph(const JobStep& step)
    : waits_begin_(step.operations.size() + 1), arrivals_(step.arrivals) {
  for (const JobOperation& done : step.operations)
    meeting_.push_back(done.meeting);
  members_begin_.push_back(0);
  for (const JobMeeting& meeting : step.meetings) {
    members_.insert(members_.end(), meeting.members.begin(), meeting.members.end());
    members_begin_.push_back(static_cast<std::uint32_t>(members_.size()));
  }
  taken_.resize(arrivals_.empty() ? 0 : step.operations.size(), {kNoMeeting, 0});
  for (std::uint32_t i = 0; i < arrivals_.size(); ++i)
    for (std::uint32_t n = 0; n < arrivals_[i].takers.size(); ++n)
      taken_[arrivals_[i].takers[n]] = {i, n};
  find_waits(step.edges);
  if (sort(step, behind_arrivals(step)))
    return;
  taken_.clear();
  find_waits(as_recorded(step));
  if (!sort(step, as_recorded(step)))
    throw InputError(
        fmt::format("step {}: expected operations in an order in which they can run, found some "
                    "that wait for each other",
                    step.name));
}

void StepGraph::find_waits(const Edges& edges) {
  order_.clear();
  std::ranges::fill(waits_begin_, 0U);
  for (const auto& [before, after] : edges)
    ++waits_begin_[after + 1];
  for (std::size_t i = 1; i < waits_begin_.size(); ++i)
    waits_begin_[i] += waits_begin_[i - 1];
  waits_.resize(edges.size());
  std::vector<std::uint32_t> next(waits_begin_.begin(), waits_begin_.end() - 1);
  for (const auto& [before, after] : edges)
    waits_[next[after]++] = before;
}

// Kahn's algorithm, in which a meeting is ready when all its members are.
bool StepGraph::sort(const JobStep& step, const Edges& edges) {
  const auto count = static_cast<std::uint32_t>(step.operations.size());
  const Followers followers(count, edges);
  std::vector<std::uint32_t> missing(count, 0);
  for (const auto& [before, after] : edges)
    ++missing[after];
  std::vector<std::uint32_t> absent = members_of_each(step);
  std::vector<std::uint32_t> ready = last_first(missing);
  std::size_t ended = 0;
  std::vector<bool> arrived(count);
  const auto end = [&](std::uint32_t place) {
    ++ended;
    for (const std::uint32_t after : followers.of(place))
      if (--missing[after] == 0)
        ready.push_back(after);
  };
  while (ended < count) {
    if (ready.empty()) {
      const std::vector<std::uint32_t> waiting = take_apart(step, arrived);
      if (waiting.empty())
        return false;
      std::ranges::for_each(waiting, end);
      continue;
    }
    const std::uint32_t place = ready.back();
    ready.pop_back();
    order_.push_back(place);
    const std::uint32_t meeting = meeting_[place];
    if (meeting == kNoMeeting) {
      end(place);
      continue;
    }
    arrived[place] = true;
    if (--absent[meeting] == 0) {
      order_.push_back(count + meeting);
      for (const std::uint32_t member : members_of(meeting)) {
        arrived[member] = false;
        end(member);
      }
    }
  }
  return true;
}

/// Of the meetings at which somebody waits the one with the earliest of these; returns who waits,
/// nobody if there is none.
std::vector<std::uint32_t> StepGraph::take_apart(const JobStep& step,
                                                 const std::vector<bool>& arrived) {
  std::uint32_t first = kNoMeeting;
  for (std::uint32_t place = 0; place < arrived.size(); ++place)
    if (arrived[place] && meeting_[place] != kNoMeeting &&
        (first == kNoMeeting || step.operations[place].begin < step.operations[first].begin))
      first = place;
  std::vector<std::uint32_t> waiting;
  if (first == kNoMeeting)
    return waiting;
  for (const std::uint32_t member : members_of(meeting_[first])) {
    if (arrived[member])
      waiting.push_back(member);
    meeting_[member] = kNoMeeting;
  }
  ++taken_apart_;
  return waiting;
}

}  // namespace stepcast
