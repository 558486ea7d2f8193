#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace stepcast {

/// Members 0, 1, ... that are joined into sets (union-find with paths halved). A set goes by its
/// least member.
class Components {
 public:
  explicit Components(std::size_t members) : parent_(members) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t one = of(a);
    const std::uint32_t other = of(b);
    parent_[std::max(one, other)] = std::min(one, other);
  }

  template <class List>
  void join(const List& members) {
    for (const std::uint32_t member : members)
      join(members.front(), member);
  }

  /// The least member of its set.
  std::uint32_t of(std::uint32_t member) {
    while (parent_[member] != member)
      member = parent_[member] = parent_[parent_[member]];
    return member;
  }

  /// The same where nothing may change.
  std::uint32_t of(std::uint32_t member) const {
    while (parent_[member] != member)
      member = parent_[member];
    return member;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace stepcast
