#include "sim/asynchronous/agenda.hpp"

#include <bit>

#include "models/base/index.hpp"

// Workers that are alike do the same at the same time: entries of one time are a list, and only
// times are sorted, as in the engine's EventQueue. A heap of all entries took half of the time of
// 65,540 workers.

namespace stepcast {

void Agenda::perform(const AgendaEntry& entry) {
  if (stopped_)
    return;
  entry.run(entry.target, entry.value);
  ++done_;
  if (after_each_.run != nullptr)
    after_each_.run(after_each_.target, 0);
}

void Agenda::at(Seconds time, AgendaEntry entry) {
  if (shared_) {
    shared_->at(time, [this, entry] { perform(entry); });
    return;
  }
  Instant& instant = instants_[instant_of(std::max(time, now_).value)];
  const std::uint32_t posted = keep(entry);
  (instant.first == kNone ? instant.first : posted_[instant.last].next) = posted;
  instant.last = posted;
}

std::uint32_t Agenda::keep(const AgendaEntry& entry) {
  if (idle_.empty()) {
    posted_.push_back({entry, kNone});
    return checked_id(posted_.size() - 1, "events");
  }
  const std::uint32_t posted = idle_.back();
  idle_.pop_back();
  posted_[posted] = {entry, kNone};
  return posted;
}

// The newest instant of this time while it is not over, or a new one. A newer time may take its
// slot of recent_; later entries of the time then make an instant of their own, after it.
std::uint32_t Agenda::instant_of(double time) {
  const auto bits = std::bit_cast<std::uint64_t>(time + 0.0) * 0x9e3779b97f4a7c15U;
  std::uint32_t& recent = recent_[(bits ^ (bits >> 32U)) % kRecent];
  if (recent < instants_.size() && instants_[recent].first != kNone &&
      instants_[recent].time == time)
    return recent;
  if (idle_instants_.empty()) {
    idle_instants_.push_back(static_cast<std::uint32_t>(instants_.size()));
    instants_.emplace_back();
  }
  recent = idle_instants_.back();
  idle_instants_.pop_back();
  instants_[recent] = {.time = time};
  due_.push({time, sequence_++, recent});
  return recent;
}

AgendaEntry Agenda::take() {
  const DueInstant due = due_.front();
  Instant& instant = instants_[due.instant];
  now_ = {due.time};
  const std::uint32_t posted = instant.first;
  instant.first = posted_[posted].next;
  if (instant.first == kNone) {
    due_.pop();
    idle_instants_.push_back(due.instant);
  }
  idle_.push_back(posted);
  return posted_[posted].entry;
}

void Agenda::resume_at(Seconds time, std::coroutine_handle<> actor) {
  at(time,
     {[](void* address, std::uint64_t) { std::coroutine_handle<>::from_address(address).resume(); },
      actor.address(), 0});
}

void Agenda::run() {
  if (shared_)
    return shared_->run();
  while (!due_.empty() && !stopped_)
    perform(take());
}

}  // namespace stepcast
