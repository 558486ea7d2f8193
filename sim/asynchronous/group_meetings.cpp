#include "sim/asynchronous/group_meetings.hpp"

#include <algorithm>

namespace stepcast {

GroupMeetings::GroupMeetings(World& world, const Options& options)
    : world_(world), options_(options) {}

std::uint32_t GroupMeetings::plan(std::vector<Rank> members) {
  std::ranges::sort(members);
  meetings_.push_back({.members = std::move(members)});
  return static_cast<std::uint32_t>(meetings_.size() - 1);
}

void GroupMeetings::arrive(std::uint32_t meeting) {
  Meeting& met = meetings_[meeting];
  if (++met.here < met.members.size())
    return;
  const bool is_new = options_.creation > Seconds{} && make_communicator(met.members);
  world_.agenda().after(is_new ? options_.creation : Seconds{},
                        entry_of<&GroupMeetings::begin>(this, meeting));
}

bool GroupMeetings::make_communicator(const std::vector<Rank>& members) {
  const auto known = std::ranges::find(communicators_, members);
  const bool is_new = known == communicators_.end();
  if (!is_new)
    communicators_.erase(known);
  communicators_.push_back(members);
  if (communicators_.size() > options_.kept)
    communicators_.pop_front();
  return is_new;
}

void GroupMeetings::begin(std::uint64_t meeting) {
  for (const Rank rank : meetings_[meeting].members)
    world_.change_cause(rank, Cause::Transfer);
  world_.all_reduce(meetings_[meeting].members, entry_of<&GroupMeetings::end>(this, meeting));
}

void GroupMeetings::end(std::uint64_t meeting) {
  Meeting& met = meetings_[meeting];
  met.over = true;
  if (on_end_.run != nullptr)
    on_end_.run(on_end_.target, meeting);
  const std::vector<Rank> members = std::move(met.members);
  met.members.clear();
  for (const Rank rank : members)
    world_.wake(rank);
}

}  // namespace stepcast
