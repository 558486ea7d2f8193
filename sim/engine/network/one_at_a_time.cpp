#include "sim/engine/network/one_at_a_time.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "models/base/components.hpp"

namespace stepcast {
namespace {

// Who takes part in the communications of a program.
struct TakingPart {
  explicit TakingPart(std::size_t classes) : meetings_of(classes), components(classes) {}

  std::uint32_t meetings = 0;
  std::vector<std::uint32_t> meetings_of;  // by class
  Components components;                   // of classes that meet, directly or by way of others

  void add(const Meeting& meeting) {
    ++meetings;
    components.join(meeting.members);
    for (const ClassId id : meeting.members)
      ++meetings_of[id];
  }
  bool one_is_in_all() const {
    return std::ranges::find(meetings_of, meetings) != meetings_of.end();
  }
  bool all_are_one_component() {
    const auto first = std::ranges::find_if(meetings_of, [](auto count) { return count > 0; });
    const auto root = components.of(static_cast<ClassId>(first - meetings_of.begin()));
    for (ClassId id = 0; id < meetings_of.size(); ++id)
      if (meetings_of[id] > 0 && components.of(id) != root)
        return false;
    return true;
  }
};

// In order a class has one communication after the other; a policy has all of its component so.
bool one_after_the_other(const DispatchRule& rule, TakingPart& parts) {
  if (std::holds_alternative<InOrder>(rule))
    return parts.one_is_in_all();
  const auto* by_priority = std::get_if<ByPriority>(&rule);
  return (!by_priority || by_priority->at_once == 1) && parts.all_are_one_component();
}

}  // namespace

bool communicates_one_at_a_time(const Plan& plan, const Program& program, const Folding& folding) {
  TakingPart parts(folding.classes.size());
  StreamId stream = kNone;
  std::vector<bool> seen(plan.teams.size());
  for (const ProgramStep& step : program.steps) {
    if (!step.is_communication())
      continue;
    if (stream != kNone && step.stream != stream)
      return false;
    stream = step.stream;
    if (seen[step.team])
      continue;
    seen[step.team] = true;
    for (MeetingId id = folding.first_meeting[step.team]; id < folding.first_meeting[step.team + 1];
         ++id)
      parts.add(folding.meetings[id]);
  }
  return stream != kNone && one_after_the_other(plan.streams[stream].rule, parts);
}

void OneAtATime::start(const Collective& collective, const Participants& participants,
                       Seconds delay, Done done) {
  if (participants.id == kNone)
    return backend_->start(collective, participants, delay, std::move(done));
  done_ = std::move(done);
  const auto [known, is_new] = times_.try_emplace(key_of(collective, participants));
  if (!is_new)
    return queue_.after(delay + known->second, [this] { finish(); });
  backend_->start(collective, participants, delay,
                  [this, &time = known->second, begin = queue_.now() + delay] {
                    time = queue_.now() - begin;
                    finish();
                  });
}

void OneAtATime::finish() {
  const Done done = std::move(done_);
  done();
}

}  // namespace stepcast
