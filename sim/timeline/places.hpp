#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "models/base/index.hpp"
#include "models/graph/task.hpp"

namespace stepcast {

using ClassId = std::uint32_t;

/// The place of every class among the members of each team.
struct TeamIndex {
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> index;    ///< At team * classes + class; kNone: no member.
  std::vector<std::uint32_t> members;  ///< By team: how many classes are in it.

  std::uint32_t of(TeamId team, ClassId rank_class) const {
    return index[std::size_t{team} * classes + rank_class];
  }
};

/// Where what is kept for each item (a step, a task) and class lies in a list: one place for each
/// class of the item's team, none for the others.
class Places {
 public:
  Places() = default;

  /// Items by their teams. Throws InputError if there are more places than 32 bits count.
  Places(std::vector<TeamId> teams, TeamIndex index)
      : teams_(std::move(teams)), first_{0}, index_(std::move(index)) {
    first_.reserve(teams_.size() + 1);
    for (const TeamId team : teams_)
      first_.push_back(
          checked_id(std::size_t{first_.back()} + index_.members[team], "tasks times classes"));
    all_have_all_ = size() == teams_.size() * index_.classes;
  }

  /// Every one of `classes` has every item.
  Places(std::size_t items, std::uint32_t classes)
      : Places(std::vector<TeamId>(items), {.classes = classes,
                                            .index = std::vector<std::uint32_t>(classes),
                                            .members = {classes}}) {
    std::iota(index_.index.begin(), index_.index.end(), 0U);
  }

  std::size_t size() const { return first_.back(); }
  std::size_t items() const { return teams_.size(); }
  std::uint32_t first_of(std::uint32_t item) const { return first_[item]; }

  bool has(std::uint32_t item, ClassId rank_class) const {
    return all_have_all_ || index_.of(teams_[item], rank_class) != kNone;
  }

  /// Precondition: has.
  std::uint32_t at(std::uint32_t item, ClassId rank_class) const {
    return all_have_all_ ? item * index_.classes + rank_class
                         : first_[item] + index_.of(teams_[item], rank_class);
  }

  /// kNone where the class does not have the item.
  std::uint32_t find(std::uint32_t item, ClassId rank_class) const {
    if (all_have_all_)
      return item * index_.classes + rank_class;
    const std::uint32_t index = index_.of(teams_[item], rank_class);
    return index == kNone ? kNone : first_[item] + index;
  }

 private:
  std::vector<TeamId> teams_;         // by item
  std::vector<std::uint32_t> first_;  // by item, and one more
  TeamIndex index_;
  bool all_have_all_ = false;  // as with data parallelism: then places need no look-up
};

}  // namespace stepcast
