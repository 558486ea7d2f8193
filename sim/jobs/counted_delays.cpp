#include "sim/jobs/counted_delays.hpp"

#include <algorithm>
#include <optional>

namespace stepcast {
namespace {

constexpr Seconds kResolution{1e-6};  // Of clocks.

/// Whether a receive was recorded from when its send came; else it was asked for earlier or later.
bool comes_with_send(const JobMeeting& meeting, std::uint32_t member, const JobReplay& replay,
                     std::size_t step) {
  const auto& operations = replay.job().steps[step].operations;
  return begins_with_message(replay, step, member) &&
         operations[member].begin >= operations[meeting.members.front()].begin;
}

/// What each rank computed, in order of the ends.
class ComputedBefore {
 public:
  ComputedBefore(const Job& job, const JobStep& step) : step_(step), of_rank_(job.ranks.size()) {
    for (std::uint32_t place = 0; place < step.operations.size(); ++place)
      if (const JobOperation& done = step.operations[place];
          job.kinds[done.kind].work != JobWork::Transfer)
        of_rank_[done.rank].push_back(place);
    for (std::vector<std::uint32_t>& places : of_rank_)
      std::ranges::stable_sort(places, {}, [&](std::uint32_t place) { return end(place); });
  }

  Seconds end(std::uint32_t place) const { return step_.operations[place].end; }

  /// The last that had ended when the operation began.
  std::optional<std::uint32_t> last(std::uint32_t operation) const {
    const Seconds begin = step_.operations[operation].begin;
    const std::vector<std::uint32_t>& places = of_rank_[step_.operations[operation].rank];
    auto at = std::ranges::upper_bound(places, begin + kResolution, {},
                                       [&](std::uint32_t place) { return end(place); });
    while (at != places.begin())
      if (step_.operations[*--at].begin < begin)
        return *at;
    return std::nullopt;
  }

 private:
  const JobStep& step_;
  std::vector<std::vector<std::uint32_t>> of_rank_;
};

}  // namespace

bool begins_with_message(const JobReplay& replay, std::size_t step, std::uint32_t place) {
  const std::vector<JobOperation>& operations = replay.job().steps[step].operations;
  const JobOperation& done = operations[place];
  if (done.meeting == kNoMeeting)
    return false;
  const JobMeeting& met = replay.job().steps[step].meetings[done.meeting];
  const std::uint32_t sender = met.members.front();
  const Seconds together = std::max(kResolution, replay.job().clocks.residual);
  return met.message && place != sender && done.begin <= operations[sender].begin + together;
}

std::vector<double> delays_that_count(const JobReplay& replay, std::size_t step) {
  const JobStep& of = replay.job().steps[step];
  std::vector<double> delays = replay.delays(step);
  for (const JobMeeting& meeting : of.meetings) {
    const auto begin = [&](std::uint32_t member) { return of.operations[member].begin; };
    const Seconds last = begin(*std::ranges::max_element(meeting.members, {}, begin));
    for (const std::uint32_t member : meeting.members)
      if (begin(member) < last || comes_with_send(meeting, member, replay, step))
        delays[member] = 0;
  }
  return delays;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> asked_behind(const JobReplay& replay,
                                                                  std::size_t step,
                                                                  std::vector<double>& delays) {
  const JobStep& of = replay.job().steps[step];
  const ComputedBefore computed(replay.job(), of);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> behind;
  for (const JobMeeting& meeting : of.meetings)
    for (const std::uint32_t member : meeting.members) {
      if (!meeting.message || comes_with_send(meeting, member, replay, step))
        continue;
      const auto before = computed.last(member);
      if (!before)
        continue;
      const double since = (of.operations[member].begin - computed.end(*before)).value;
      if (since >= replay.delays(step)[member])
        continue;
      behind.emplace_back(*before, member);
      delays[member] = std::min(delays[member], std::max(0.0, since));
    }
  return behind;
}

}  // namespace stepcast
