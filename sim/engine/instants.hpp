#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/index.hpp"

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

/// Entries in the order of their instants, and those of one instant in the order of posting. Ranks
/// and workers in the same state post at the same time: entries of one instant are a list and only
/// instants are sorted, so that an entry costs as much as its instant has few others.
template <class Entry>
class InstantLists {
 public:
  bool empty() const { return due_.empty(); }
  const DueInstant& front() const { return due_.front(); }

  /// Keeps an entry and returns its index, which is valid until release().
  std::uint32_t keep(const Entry& entry) {
    if (idle_.empty()) {
      posted_.push_back({entry, kNone});
      return checked_id(posted_.size() - 1, "events");
    }
    const std::uint32_t posted = idle_.back();
    idle_.pop_back();
    posted_[posted] = {entry, kNone};
    return posted;
  }

  /// Appends a kept entry to its instant.
  void post(double time, bool late, std::uint32_t posted) {
    Instant& instant = instants_[instant_of(time, late)];
    (instant.first == kNone ? instant.first : posted_[instant.last].next) = posted;
    instant.last = posted;
  }

  /// Takes the first entry out of its instant.
  std::uint32_t take() {
    const std::uint32_t instant_index = due_.front().instant;
    Instant& instant = instants_[instant_index];
    const std::uint32_t posted = instant.first;
    instant.first = posted_[posted].next;
    if (instant.first == kNone) {
      due_.pop();
      idle_instants_.push_back(instant_index);
    }
    return posted;
  }

  Entry release(std::uint32_t posted) {
    idle_.push_back(posted);
    return posted_[posted].entry;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kRecent = 64;

  struct Instant {
    double time = 0;
    bool late = false;
    std::uint32_t first = kNone;  // in posted_; kNone: it is over
    std::uint32_t last = kNone;
  };
  struct Posted {
    Entry entry;
    std::uint32_t next = kNone;  // of its instant
  };

  // The newest instant of this time while it is not over, or a new one. A newer time may take its
  // slot of recent_; later entries of the time then make an instant of their own, after it. (Zero
  // has a sign, which + 0.0 takes away.)
  std::uint32_t instant_of(double time, bool late) {
    const auto bits =
        std::bit_cast<std::uint64_t>(time + 0.0) * 0x9e3779b97f4a7c15U + (late ? 1U : 0U);
    std::uint32_t& recent = recent_[(bits ^ (bits >> 32U)) % kRecent];
    if (recent < instants_.size())
      if (const Instant& known = instants_[recent];
          known.first != kNone && known.time == time && known.late == late)
        return recent;
    if (idle_instants_.empty()) {
      idle_instants_.push_back(static_cast<std::uint32_t>(instants_.size()));
      instants_.emplace_back();
    }
    recent = idle_instants_.back();
    idle_instants_.pop_back();
    instants_[recent] = {.time = time, .late = late};
    due_.push({time, sequence_++ | (late ? DueInstant::kLate : 0), recent});
    return recent;
  }

  std::uint64_t sequence_ = 0;
  InstantsBySoonest due_;
  std::vector<Instant> instants_;
  std::vector<std::uint32_t> idle_instants_;     // to use again
  std::array<std::uint32_t, kRecent> recent_{};  // the newest instant of a time, by its bits
  std::vector<Posted> posted_;
  std::vector<std::uint32_t> idle_;  // posted_ to use again
};

}  // namespace stepcast
