#include "sim/engine/policy/negotiated_policy.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

constexpr auto kNoBuffer = static_cast<std::size_t>(-1);

}  // namespace

void NegotiatedPolicy::ready(Operation operation) {
  if (!dispatcher_.is_announced_early(operation))
    announced(operation);
  if (thread_ == Thread::Performing)
    perform();
}

void NegotiatedPolicy::announced(Operation operation) {
  const Seconds now = dispatcher_.now();
  if (waiting_.empty())
    waiting_since_ = now;
  if (now > newest_since_) {
    newest_since_ = now;
    newest_ = waiting_.size();
  }
  // In plan order among what is announced at one instant.
  const auto same_instant = waiting_.begin() + static_cast<std::ptrdiff_t>(newest_);
  waiting_.insert(std::upper_bound(same_instant, waiting_.end(), operation), operation);
  if (thread_ == Thread::Asleep)
    begin_cycle();
}

void NegotiatedPolicy::begin_cycle() {
  thread_ = Thread::Due;
  const Seconds earliest = std::max(last_cycle_ + rule_.cycle, dispatcher_.now());
  const double phase = (waiting_.front().iteration % kPhases + 0.5) / kPhases;
  dispatcher_.wake_at(std::max(earliest, waiting_since_ + rule_.cycle * phase), *this);
}

void NegotiatedPolicy::wake() {
  if (thread_ == Thread::Due)
    return negotiate();
  fuse(std::exchange(negotiating_, {}));
  thread_ = Thread::Performing;
  perform();
}

void NegotiatedPolicy::negotiate() {
  thread_ = Thread::Negotiating;
  last_cycle_ = dispatcher_.now();
  negotiating_ = std::exchange(waiting_, {});
  newest_ = 0;
  const Seconds time =
      rule_.per_cycle + rule_.per_tensor * static_cast<double>(negotiating_.size());
  dispatcher_.wake_at(last_cycle_ + time, *this);
}

void NegotiatedPolicy::perform() {
  const auto has_data = [this](Operation operation) { return dispatcher_.is_ready(operation); };
  while (!agreed_.empty() && std::ranges::all_of(agreed_.front(), has_data)) {
    handed_over_.push_back(std::move(agreed_.front()));
    agreed_.pop_front();
  }
  const bool done = agreed_.empty();
  if (done)
    thread_ = Thread::Asleep;
  if (running_ == 0)
    launch_next();
  if (done && !waiting_.empty() && thread_ == Thread::Asleep)
    begin_cycle();
}

void NegotiatedPolicy::finished(Operation) {
  if (--running_ == 0)
    launch_next();
}

// As Horovod looks ahead, a tensor joins the buffer that is open even if others, which cannot be
// fused, came in between.
void NegotiatedPolicy::fuse(const std::vector<Operation>& agreed) {
  Bytes filled{};
  std::size_t open = kNoBuffer;
  for (const Operation operation : agreed) {
    const Bytes size = dispatcher_.size_of(operation);
    if (open != kNoBuffer && filled + size <= rule_.fusion &&
        dispatcher_.may_fuse(agreed_[open].front(), operation)) {
      agreed_[open].push_back(operation);
      filled += size;
      continue;
    }
    agreed_.push_back({operation});
    if (!dispatcher_.may_fuse(operation, operation))
      continue;
    open = agreed_.size() - 1;
    filled = size;
  }
}

// A tensor that is alone in its buffer is communicated in place, without copies.
void NegotiatedPolicy::launch_next() {
  if (handed_over_.empty())
    return;
  const Buffer buffer = std::move(handed_over_.front());
  handed_over_.pop_front();
  running_ = buffer.size();
  Bytes size{};
  for (const Operation operation : buffer)
    size += dispatcher_.size_of(operation);
  const bool fused = buffer.size() > 1;
  dispatcher_.launch(buffer, fused ? dispatcher_.copy_time(size) * 2.0 : Seconds{});
}

}  // namespace stepcast
