#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace stepcast {

/// Members 0, 1, ... that are joined into sets.
class Components {
 public:
  explicit Components(std::size_t members) : parent_(members) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  template <class List>
  void join(const List& members) {
    for (const std::uint32_t member : members)
      parent_[root(member)] = root(members.front());
  }

  /// The number of its set: the same for all members of it.
  std::uint32_t root(std::uint32_t member) {
    while (parent_[member] != member)
      member = parent_[member] = parent_[parent_[member]];
    return member;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace stepcast
