#include "sim/asynchronous/agenda.hpp"

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
  heap_.push_back({std::max(time, now_).value, sequence_++, entry});
  std::push_heap(heap_.begin(), heap_.end());
}

void Agenda::resume_at(Seconds time, std::coroutine_handle<> actor) {
  at(time,
     {[](void* address, std::uint64_t) { std::coroutine_handle<>::from_address(address).resume(); },
      actor.address(), 0});
}

void Agenda::run() {
  if (shared_)
    return shared_->run();
  while (!heap_.empty() && !stopped_) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Due due = heap_.back();
    heap_.pop_back();
    now_ = {due.time};
    perform(due.entry);
  }
}

}  // namespace stepcast
