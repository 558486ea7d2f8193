#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepcast {

/// An instant of the agenda. Of those of one time the order of posting counts, the late behind.
struct DueInstant {
  static constexpr std::uint64_t kLate = std::uint64_t{1} << 63U;

  double time = 0;
  std::uint64_t order = 0;
  std::uint32_t instant = 0;

  bool is_late() const { return order >= kLate; }
  bool is_behind(const DueInstant& other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

/// Instants, the soonest first. As long as there are few, as of folded ranks, a sorted list of them
/// costs less than a heap; what is behind the soonest kNear waits in a heap.
class InstantsBySoonest {
 public:
  bool empty() const { return count_ == 0; }
  const DueInstant& front() const { return near_[count_ - 1]; }

  void push(const DueInstant& due) {
    if (!far_.empty() && due.is_behind(far_.front()))
      return push_far(due);
    if (count_ == kNear) {
      if (due.is_behind(near_[0]))
        return push_far(due);
      push_far(near_[0]);
      std::copy(near_.begin() + 1, near_.end(), near_.begin());
      --count_;
    }
    std::size_t place = count_++;
    for (; place > 0 && due.is_behind(near_[place - 1]); --place)
      near_[place] = near_[place - 1];
    near_[place] = due;
  }

  void pop() {
    if (--count_ > 0 || far_.empty())
      return;
    near_[count_++] = far_.front();
    std::pop_heap(far_.begin(), far_.end(), Behind());
    far_.pop_back();
  }

 private:
  static constexpr std::size_t kNear = 32;
  struct Behind {
    bool operator()(const DueInstant& a, const DueInstant& b) const { return a.is_behind(b); }
  };

  void push_far(const DueInstant& due) {
    far_.push_back(due);
    std::push_heap(far_.begin(), far_.end(), Behind());
  }

  std::array<DueInstant, kNear> near_{};  // the soonest last
  std::size_t count_ = 0;                 // of them
  std::vector<DueInstant> far_;           // none before any of those
};

}  // namespace stepcast
