#include "sim/study/diagnose/step_graph.hpp"

#include <algorithm>

namespace stepcast {

StepGraph::StepGraph(const JobStep& step) {
  const std::size_t count = step.operations.size();
  waits_begin_.assign(count + 1, 0);
  for (const auto& [before, after] : step.edges)
    ++waits_begin_[after + 1];
  for (std::size_t i = 0; i < count; ++i)
    waits_begin_[i + 1] += waits_begin_[i];
  waits_.resize(step.edges.size());
  std::vector<std::uint32_t> next(waits_begin_.begin(), waits_begin_.end() - 1);
  for (const auto& [before, after] : step.edges)
    waits_[next[after]++] = before;
  for (const JobOperation& done : step.operations)
    meeting_.push_back(done.meeting);
  members_begin_.push_back(0);
  for (const JobMeeting& meeting : step.meetings) {
    members_.insert(members_.end(), meeting.members.begin(), meeting.members.end());
    members_begin_.push_back(static_cast<std::uint32_t>(members_.size()));
  }
  sort(step);
}

// Kahn's algorithm, in which a meeting is ready when all its members are.
void StepGraph::sort(const JobStep& step) {
  const auto count = static_cast<std::uint32_t>(step.operations.size());
  std::vector<std::vector<std::uint32_t>> followers(count);
  std::vector<std::uint32_t> missing(count, 0);
  for (const auto& [before, after] : step.edges) {
    followers[before].push_back(after);
    ++missing[after];
  }
  std::vector<std::uint32_t> absent;
  for (const JobMeeting& meeting : step.meetings)
    absent.push_back(static_cast<std::uint32_t>(meeting.members.size()));
  std::vector<std::uint32_t> ready;
  for (std::uint32_t place = count; place-- > 0;)
    if (missing[place] == 0)
      ready.push_back(place);
  std::size_t ended = 0;
  std::vector<bool> arrived(count);
  const auto end = [&](std::uint32_t place) {
    ++ended;
    for (const std::uint32_t after : followers[place])
      if (--missing[after] == 0)
        ready.push_back(after);
  };
  while (ended < count) {
    if (ready.empty())
      std::ranges::for_each(take_apart(step, arrived), end);
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
}

/// Of the meetings at which somebody waits the one with the earliest of these; returns who waits.
std::vector<std::uint32_t> StepGraph::take_apart(const JobStep& step,
                                                 const std::vector<bool>& arrived) {
  std::uint32_t first = kNoMeeting;
  for (std::uint32_t place = 0; place < arrived.size(); ++place)
    if (arrived[place] && meeting_[place] != kNoMeeting &&
        (first == kNoMeeting || step.operations[place].begin < step.operations[first].begin))
      first = place;
  std::vector<std::uint32_t> waiting;
  for (const std::uint32_t member : members_of(meeting_[first])) {
    if (arrived[member])
      waiting.push_back(member);
    meeting_[member] = kNoMeeting;
  }
  ++taken_apart_;
  return waiting;
}

double StepGraph::replay(std::span<const double> durations, std::span<const double> delays,
                         std::vector<double>& ends) const {
  const std::size_t count = size();
  ends.resize(count);
  double last = 0;
  const auto end = [&](std::uint32_t place, double begin) {
    ends[place] = begin + durations[place];
    last = std::max(last, ends[place]);
  };
  for (const std::uint32_t place : order_) {
    if (place < count) {
      double ready = 0;
      for (const std::uint32_t before : waits_of(place))
        ready = std::max(ready, ends[before]);
      ready += delays.empty() ? 0 : delays[place];
      if (meeting_[place] == kNoMeeting)
        end(place, ready);
      else
        ends[place] = ready;  // Its arrival, until the others are there.
      continue;
    }
    const auto members = members_of(static_cast<std::uint32_t>(place - count));
    double met = 0;
    for (const std::uint32_t member : members)
      met = std::max(met, ends[member]);
    for (const std::uint32_t member : members)
      end(member, met);
  }
  return last;
}

}  // namespace stepcast
