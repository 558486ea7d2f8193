#include "traces/job/clock/clock_evidence.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// Of a collective the tightest bounds: nobody ended before the last began, and all had begun when
/// the first ended. Of a message that it was received after it was sent.
void add_bounds(const JobMeeting& meeting, const CommonEnd& common, ClockEvidence& evidence) {
  const auto add = [&](const EndSeen& began, const EndSeen& ended) {
    if (began.host != ended.host)
      evidence.bounds.push_back({began.host, ended.host, ended.end - began.begin, common.step,
                                 ended.end, meeting.message});
  };
  if (meeting.message) {
    add(common.seen[0], common.seen[1]);
    return;
  }
  const auto last = std::ranges::max_element(common.seen, {}, &EndSeen::begin);
  const auto first = std::ranges::min_element(common.seen, {}, &EndSeen::end);
  for (const EndSeen& member : common.seen) {
    add(*last, member);
    add(member, *first);
  }
}

void add_starts(const Job& job, const RankClocks& clocks, ClockEvidence& evidence) {
  evidence.stages.assign(clocks.count(), job.stages);
  for (std::uint32_t number = 0; number < job.steps.size(); ++number) {
    std::vector<HostStart>& starts = evidence.starts.emplace_back(clocks.count());
    for (const JobOperation& done : job.steps[number].operations) {
      const std::uint32_t host = clocks.of(done.rank, number);
      evidence.stages[host] = std::min(evidence.stages[host], job.ranks[done.rank].stage);
      if (job.kinds[done.kind].work != JobWork::Host && done.begin.value < starts[host].begin)
        starts[host] = {done.begin.value, done.kind};
    }
  }
}

}  // namespace

ClockEvidence clock_evidence(const Job& job, const RankClocks& clocks) {
  ClockEvidence evidence{.hosts = clocks.count(), .kinds = job.kinds.size()};
  for (const JobStep& step : job.steps)
    evidence.begins.push_back(step.begin.value);
  for (std::uint32_t number = 0; number < job.steps.size(); ++number) {
    const JobStep& step = job.steps[number];
    for (const JobMeeting& meeting : step.meetings) {
      CommonEnd common{.step = number,
                       .kind = step.operations[meeting.members.front()].kind,
                       .message = meeting.message};
      for (const std::uint32_t member : meeting.members) {
        const JobOperation& done = step.operations[member];
        if (done.restored)
          continue;
        common.seen.push_back({clocks.of(done.rank, number), done.end.value, done.begin.value});
      }
      if (common.seen.size() < 2)
        continue;
      add_bounds(meeting, common, evidence);
      if (!meeting.message)
        evidence.ends.push_back(std::move(common));
      else if (common.seen[0].host != common.seen[1].host)
        evidence.messages.push_back(std::move(common));
    }
  }
  add_starts(job, clocks, evidence);
  return evidence;
}

}  // namespace stepcast
