#pragma once

#include <deque>
#include <vector>

#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// P-Reduce (Luo et al., Prague, ASPLOS 2020): the members of a group meet, average their models
/// and go on. A communicator is made on first use and kept among the most recent.
class GroupMeetings {
 public:
  struct Options {
    Seconds creation{};       ///< Of a communicator.
    std::uint32_t kept = 60;  ///< Communicators; the authors' code keeps as many.
  };
  GroupMeetings(World& world, const Options& options);

  /// A meeting to come; its members come in any order.
  std::uint32_t plan(std::vector<Rank> members);
  const std::vector<Rank>& members(std::uint32_t meeting) const {
    return meetings_[meeting].members;
  }

  /// The worker is there. When it is over, on_end is told and then all members are woken.
  void arrive(std::uint32_t meeting);
  void on_end(AgendaEntry entry) { on_end_ = entry; }  ///< Its value: the meeting.
  bool is_over(std::uint32_t meeting) const { return meetings_[meeting].over; }
  bool is_on(std::uint32_t meeting) const {
    return meetings_[meeting].here == meetings_[meeting].members.size() && !meetings_[meeting].over;
  }

 private:
  struct Meeting {
    std::vector<Rank> members;
    std::uint32_t here = 0;
    bool over = false;
  };
  void begin(std::uint64_t meeting);
  void end(std::uint64_t meeting);
  bool make_communicator(const std::vector<Rank>& members);

  World& world_;
  Options options_;
  std::deque<Meeting> meetings_;
  std::deque<std::vector<Rank>> communicators_;  // most recent last
  AgendaEntry on_end_{};
};

}  // namespace stepcast
