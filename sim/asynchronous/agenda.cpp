#include "sim/asynchronous/agenda.hpp"

#include <algorithm>

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
  due_.post(std::max(time, now_).value, false, due_.keep(entry));
}

void Agenda::resume_at(Seconds time, std::coroutine_handle<> actor) {
  at(time,
     {[](void* address, std::uint64_t) { std::coroutine_handle<>::from_address(address).resume(); },
      actor.address(), 0});
}

void Agenda::run() {
  if (shared_)
    return shared_->run();
  while (!due_.empty() && !stopped_) {
    now_ = {due_.front().time};
    perform(due_.release(due_.take()));
  }
}

}  // namespace stepcast
