#include "traces/formats/ranks/meetings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "traces/formats/ranks/end_matching.hpp"

namespace stepcast {
namespace {

using Group = std::vector<std::uint32_t>;
using Collectives = std::vector<RankCollective>;

bool is_in(const Group& group, const RankRecord& record) {
  return group.empty() || (record.rank && std::ranges::binary_search(group, *record.rank));
}

/// Its collectives with times on its own clock, counted from the first record's first time.
Collectives on_own_clock(const RankRecord& record, const RankRecord& first) {
  constexpr double kMicrosecond = 1e-6;
  const Seconds later{static_cast<double>(record.first_time_us - first.first_time_us) *
                      kMicrosecond};
  Collectives all = record.collectives;
  for (RankCollective& done : all) {
    done.begin += later;
    done.end += later;
  }
  return all;
}

template <typename Keep>
Collectives select(const Collectives& all, Keep keep) {
  Collectives kept;
  std::ranges::copy_if(all, std::back_inserter(kept), keep);
  return kept;
}

/// Works on copies of the records' collectives with times from one moment on.
class Finder {
 public:
  explicit Finder(std::span<const RankRecord> records) : records_(records) {
    for (const RankRecord& record : records)
      collectives_.push_back(on_own_clock(record, records.front()));
  }

  Meetings run() {
    find_offsets();
    if (result_.why_not.empty())
      for (const Group& group : groups())
        meet(group);
    if (result_.why_not.empty() && result_.all.empty() && result_.partial.empty())
      result_.why_not = "no collective that all of them recorded";
    return std::move(result_);
  }

 private:
  void find_offsets();
  std::optional<Seconds> offset_against(std::size_t rank, std::size_t aligned) const;
  std::string why_unaligned(std::size_t rank) const;
  std::set<Group> groups() const;
  void meet(const Group& group);
  std::size_t add_member(std::size_t rank, Seconds of_lead, const Collectives& lead,
                         const Collectives& own, std::vector<RankMeeting>& meetings) const;

  std::span<const RankRecord> records_;
  std::vector<Collectives> collectives_;
  Meetings result_;
};

std::optional<Seconds> Finder::offset_against(std::size_t rank, std::size_t aligned) const {
  const auto shared = [&](const RankCollective& done) {
    return is_in(done.group, records_[rank]) && is_in(done.group, records_[aligned]);
  };
  return find_clock_offset(select(collectives_[aligned], shared),
                           select(collectives_[rank], shared));
}

std::string Finder::why_unaligned(std::size_t rank) const {
  const auto on_another = [&](const RankCollective& done) {
    for (std::size_t other = 0; other < collectives_.size(); ++other)
      if (other != rank && std::ranges::any_of(collectives_[other], [&](const auto& theirs) {
            return theirs.kind == done.kind && theirs.group == done.group;
          }))
        return true;
    return false;
  };
  if (std::ranges::none_of(collectives_[rank], on_another))
    return "no collective that all of them recorded";
  return fmt::format(
      "the ends of the collectives in {} scatter against those of the other ranks: they are not "
      "the same ones",
      records_[rank].origin);
}

// Rank by rank, as long as one is found that shares collectives with those on the clock.
void Finder::find_offsets() {
  std::vector<std::optional<Seconds>> offsets(records_.size());
  offsets.front() = Seconds{};
  for (bool found = true; found;) {
    found = false;
    for (std::size_t rank = 0; rank < offsets.size(); ++rank)
      for (std::size_t aligned = 0; aligned < offsets.size() && !offsets[rank]; ++aligned) {
        if (!offsets[aligned])
          continue;
        if (const auto offset = offset_against(rank, aligned)) {
          offsets[rank] = *offsets[aligned] + *offset;
          found = true;
        }
      }
  }
  for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
    if (!offsets[rank] && result_.why_not.empty())
      result_.why_not = why_unaligned(rank);
    result_.offsets.push_back(offsets[rank].value_or(Seconds{}));
  }
}

std::set<Group> Finder::groups() const {
  std::set<Group> groups;
  for (const Collectives& all : collectives_)
    for (const RankCollective& done : all)
      groups.insert(done.group);
  return groups;
}

/// Returns how many of the rank's collectives met the leader's.
std::size_t Finder::add_member(std::size_t rank, Seconds of_lead, const Collectives& lead,
                               const Collectives& own, std::vector<RankMeeting>& meetings) const {
  const std::vector<Seconds> offsets = offsets_along(lead, own, result_.offsets[rank] - of_lead);
  const CollectivePairs pairs = pair_by_ends(lead, own, offsets);
  for (const auto& [mine, other] : pairs) {
    const Seconds offset = of_lead + offsets[other];
    RankMeeting& meeting = meetings[mine];
    meeting.ranks.push_back(rank);
    meeting.begins.push_back(own[other].begin - offset);
    meeting.ends.push_back(own[other].end - offset);
    meeting.offsets.push_back(offset);
    meeting.ids.push_back(own[other].id);
  }
  return pairs.size();
}

void Finder::meet(const Group& group) {
  const auto of_group = [&](const RankCollective& done) { return done.group == group; };
  std::vector<std::size_t> members;
  for (std::size_t rank = 0; rank < records_.size(); ++rank)
    if (is_in(group, records_[rank]))
      members.push_back(rank);
  if (members.size() < 2)
    return;
  const Collectives lead = select(collectives_[members.front()], of_group);
  std::vector<RankMeeting> meetings(lead.size());
  for (const std::size_t rank : members) {
    const Collectives own = select(collectives_[rank], of_group);
    result_.unmatched +=
        own.size() - add_member(rank, result_.offsets[members.front()], lead, own, meetings);
  }
  for (RankMeeting& meeting : meetings) {
    if (meeting.ranks.size() == members.size()) {
      result_.all.push_back(std::move(meeting));
      continue;
    }
    ++result_.unmatched;
    if (meeting.ranks.size() > 1)
      result_.partial.push_back(std::move(meeting));
  }
}

}  // namespace

Meetings find_meetings(std::span<const RankRecord> records) {
  return Finder(records).run();
}

}  // namespace stepcast
