#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "models/base/error.hpp"
#include "sim/jobs/edits/graph_replay.hpp"

namespace stepcast {
namespace {

class PriorityReplay {
 public:
  explicit PriorityReplay(const WorkGraph& graph)
      : graph_(graph),
        steps_(step_graph_of(graph)),
        times_(graph.nodes.size()),
        followers_(graph.nodes.size(), [&](auto add) {
          for (std::uint32_t id = 0; id < graph.nodes.size(); ++id)
            for (const std::uint32_t before : steps_.waits_of(id))
              add(before, id);
        }) {
    std::map<std::uint32_t, std::uint32_t> of_meeting;
    for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
      missing_.push_back(steps_.waits_of(id).size());
      add_to_work(id, of_meeting);
    }
  }

  std::vector<Interval> run() {
    for (std::uint32_t id = 0; id < missing_.size(); ++id)
      if (missing_[id] == 0)
        arrive_later(id);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.ends ? end(event.node) : arrive(event.node);
      if (events_.empty() || events_.top().time > now_)
        start_waiting();
    }
    if (ended_ < graph_.nodes.size())
      throw InputError("the edited step cannot run: something waits for itself");
    return std::move(times_);
  }

 private:
  /// A node arrives when it is ready, and ends.
  struct Event {
    Seconds time{};
    bool ends = false;
    std::uint32_t node = 0;
    bool operator>(const Event& other) const {
      return std::tie(time, other.ends, node) > std::tie(other.time, ends, other.node);
    }
  };
  /// What starts at once: a node, or all that meet.
  struct Work {
    std::vector<std::uint32_t> nodes;
    std::size_t absent = 0;
    std::int32_t priority = 0;
    bool waits = false;  ///< For streams by priority.
  };
  using Lane = std::pair<std::uint32_t, std::uint32_t>;

  void add_to_work(std::uint32_t id, std::map<std::uint32_t, std::uint32_t>& of_meeting) {
    const WorkNode& node = graph_.nodes[id];
    auto number = static_cast<std::uint32_t>(works_.size());
    if (node.meeting != kNone)
      number = of_meeting.try_emplace(node.meeting, number).first->second;
    if (number == works_.size())
      works_.push_back({.nodes = {}, .absent = 0, .priority = node.priority, .waits = false});
    Work& work = works_[number];
    work.nodes.push_back(id);
    ++work.absent;
    work.priority = std::min(work.priority, node.priority);
    work.waits = work.waits || is_served(id);
    work_of_.push_back(number);
  }

  bool is_served(std::uint32_t id) const {
    return graph_.streams[graph_.nodes[id].stream].by_priority;
  }
  Lane lane_of(std::uint32_t id) const { return {graph_.nodes[id].rank, graph_.nodes[id].stream}; }

  void arrive_later(std::uint32_t id) {
    times_[id].ready += graph_.nodes[id].delay;
    events_.push({times_[id].ready, false, id});
  }

  void arrive(std::uint32_t id) {
    Work& work = works_[work_of_[id]];
    if (--work.absent > 0)
      return;
    if (work.waits)
      waiting_.emplace(work.priority, work_of_[id]);
    else
      start(work);
  }

  void start(const Work& work) {
    for (const std::uint32_t id : work.nodes) {
      times_[id].start = now_;
      times_[id].end = now_ + graph_.nodes[id].duration;
      events_.push({times_[id].end, true, id});
      if (is_served(id))
        busy_.insert(lane_of(id));
    }
  }

  void end(std::uint32_t id) {
    ++ended_;
    if (is_served(id))
      busy_.erase(lane_of(id));
    for (const std::uint32_t after : followers_.of(id)) {
      times_[after].ready = std::max(times_[after].ready, times_[id].end);
      if (--missing_[after] == 0)
        arrive_later(after);
    }
  }

  void start_waiting() {
    for (auto next = waiting_.begin(); next != waiting_.end();) {
      const Work& work = works_[next->second];
      const bool is_free = std::ranges::none_of(work.nodes, [&](std::uint32_t id) {
        return is_served(id) && busy_.contains(lane_of(id));
      });
      if (is_free)
        start(work);
      next = is_free ? waiting_.erase(next) : std::next(next);
    }
  }

  const WorkGraph& graph_;
  StepGraph steps_;
  std::vector<Interval> times_;
  CompressedRows<> followers_;
  std::vector<std::size_t> missing_;
  std::vector<Work> works_;
  std::vector<std::uint32_t> work_of_;                        // By node.
  std::set<std::pair<std::int32_t, std::uint32_t>> waiting_;  // Priority and work.
  std::set<Lane> busy_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Seconds now_{};
  std::size_t ended_ = 0;
};

}  // namespace

bool goes_by_priority(const WorkGraph& graph) {
  return !graph.planned && std::ranges::any_of(graph.streams, &WorkStream::by_priority);
}

std::vector<Interval> replay_by_priority(const WorkGraph& graph) {
  return PriorityReplay(graph).run();
}

}  // namespace stepcast
