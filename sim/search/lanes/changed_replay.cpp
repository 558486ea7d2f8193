#include "sim/search/lanes/changed_replay.hpp"

#include <algorithm>

#include "models/base/error.hpp"

namespace stepcast {

ChangedReplay::ChangedReplay(const WorkGraph& graph, const std::vector<Interval>& times)
    : graph_(graph), times_(times) {}

std::optional<Seconds> ChangedReplay::end_with(const LaneChange& change,
                                               const TransferRatio& ratio) {
  const TakenBack taken_back{*this};
  if (!graph_.change(change, ratio))
    return std::nullopt;
  nodes_.resize(graph_.size());
  meetings_.resize(graph_.meetings());
  find_late();
  count_waits();
  if (run_late() < late_.size())
    throw InputError("something would wait for itself");
  return last_end();
}

void ChangedReplay::take_back() {
  for (const std::uint32_t id : late_) {
    nodes_[id] = {};
    if (graph_.meeting(id) != kNone)
      meetings_[graph_.meeting(id)] = {};
  }
  late_.clear();
  ready_.clear();
  graph_.take_back();
}

/// All that the changed nodes lead to, and who meets it.
void ChangedReplay::find_late() {
  for (const std::uint32_t id : graph_.touched())
    be_late(id);
  for (std::size_t i = 0; i < late_.size(); ++i) {
    const std::uint32_t id = late_[i];
    graph_.for_each_follower(id, [&](std::uint32_t after) { be_late(after); });
    const std::uint32_t meeting = graph_.meeting(id);
    if (meeting == kNone || meetings_[meeting].is_late)
      continue;
    meetings_[meeting].is_late = true;
    graph_.for_each_member(meeting, [&](std::uint32_t member) { be_late(member); });
  }
}

void ChangedReplay::be_late(std::uint32_t id) {
  if (nodes_[id].is_late || graph_.is_gone(id))
    return;
  nodes_[id].is_late = true;
  late_.push_back(id);
}

void ChangedReplay::count_waits() {
  for (const std::uint32_t id : late_) {
    Late& node = nodes_[id];
    graph_.for_each_earlier(id, [&](std::uint32_t before) {
      if (nodes_[before].is_late)
        ++node.waits;
      else
        node.ready = std::max(node.ready, times_[before].end);
    });
    if (graph_.meeting(id) != kNone)
      ++meetings_[graph_.meeting(id)].absent;
    if (node.waits == 0)
      ready_.push_back(id);
  }
}

/// How many could run.
std::size_t ChangedReplay::run_late() {
  std::size_t ran = 0;
  while (!ready_.empty()) {
    const std::uint32_t id = ready_.back();
    ready_.pop_back();
    ++ran;
    const Seconds ready = nodes_[id].ready + graph_.delay(id);
    if (graph_.meeting(id) == kNone) {
      finish(id, ready);
      continue;
    }
    Meeting& meeting = meetings_[graph_.meeting(id)];
    meeting.last_arrival = std::max(meeting.last_arrival, ready);
    if (--meeting.absent == 0)
      graph_.for_each_member(graph_.meeting(id),
                             [&](std::uint32_t member) { finish(member, meeting.last_arrival); });
  }
  return ran;
}

void ChangedReplay::finish(std::uint32_t id, Seconds start) {
  const Seconds end = nodes_[id].end = start + graph_.duration(id);
  graph_.for_each_follower(id, [&](std::uint32_t after) {
    Late& node = nodes_[after];
    node.ready = std::max(node.ready, end);
    if (--node.waits == 0)
      ready_.push_back(after);
  });
}

Seconds ChangedReplay::last_end() const {
  Seconds last{};
  for (const std::uint32_t id : late_)
    last = std::max(last, nodes_[id].end);
  for (std::uint32_t id = 0; id < times_.size(); ++id)
    if (times_[id].end > last && !nodes_[id].is_late && !graph_.is_gone(id))
      last = times_[id].end;
  return last;
}

}  // namespace stepcast
