#include "models/graph/edit/launch_queue.hpp"

#include <map>
#include <utility>
#include <vector>

// The nodes of a rank on a stream in order wait for each other, from one iteration to the next: a
// lane. Elsewhere each node is a lane of its own. A lane whose nodes hold up those of another is
// found from that one; members of a meeting hold up each other. Searched backwards from the lanes
// on which ranks compute; what is not found there holds up nothing.

namespace stepcast {
namespace {

class Queues {
 public:
  explicit Queues(WorkGraph& graph) : graph_(graph) {
    number_lanes();
    for (const WorkEdge& edge : graph_.edges)
      held_by_[lane_[edge.after]].push_back(lane_[edge.before]);
    for (std::uint32_t id = 0; id < lane_.size(); ++id)
      if (const std::uint32_t meeting = graph_.nodes[id].meeting; meeting != kNone) {
        const std::uint32_t together = meeting_lane(meeting);
        held_by_[lane_[id]].push_back(together);
        held_by_[together].push_back(lane_[id]);
      }
    find_compute();
  }

  void bound() {
    const std::vector<bool> counts = found_from_compute();
    std::vector<std::uint32_t> last(held_by_.size(), kNone);
    for (std::uint32_t id = 0; id < lane_.size(); ++id)
      if (!counts[lane_[id]])
        last[lane_[id]] = id;
    for (const std::uint32_t id : last)
      if (id != kNone)
        if (const auto first = compute_.find(graph_.nodes[id].rank); first != compute_.end())
          graph_.edges.push_back({id, first->second, kIterationsAhead});
  }

 private:
  std::uint32_t new_lane() {
    held_by_.emplace_back();
    return static_cast<std::uint32_t>(held_by_.size() - 1);
  }

  void number_lanes() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> of_stream;
    for (const WorkNode& node : graph_.nodes) {
      if (!graph_.streams[node.stream].in_order) {
        lane_.push_back(new_lane());
        continue;
      }
      const auto [found, is_new] = of_stream.try_emplace({node.rank, node.stream}, 0);
      if (is_new)
        found->second = new_lane();
      lane_.push_back(found->second);
    }
  }

  std::uint32_t meeting_lane(std::uint32_t meeting) {
    const auto [found, is_new] = of_meeting_.try_emplace(meeting, 0);
    if (is_new)
      found->second = new_lane();
    return found->second;
  }

  /// Of each rank the first node that computes, of its first stream with one.
  void find_compute() {
    for (std::uint32_t id = 0; id < lane_.size(); ++id) {
      const WorkNode& node = graph_.nodes[id];
      if (node.communicates)
        continue;
      const auto [found, is_new] = compute_.try_emplace(node.rank, id);
      if (!is_new && node.stream < graph_.nodes[found->second].stream)
        found->second = id;
    }
  }

  std::vector<bool> found_from_compute() const {
    std::vector<bool> found(held_by_.size());
    std::vector<std::uint32_t> open;
    const auto offer = [&](std::uint32_t lane) {
      if (!found[lane])
        open.push_back(lane);
      found[lane] = true;
    };
    for (const auto& [rank, first] : compute_)
      offer(lane_[first]);
    while (!open.empty()) {
      const std::uint32_t lane = open.back();
      open.pop_back();
      for (const std::uint32_t before : held_by_[lane])
        offer(before);
    }
    return found;
  }

  WorkGraph& graph_;
  std::vector<std::uint32_t> lane_;                  // By node.
  std::vector<std::vector<std::uint32_t>> held_by_;  // By lane, and by meeting behind those.
  std::map<std::uint32_t, std::uint32_t> of_meeting_;
  std::map<std::uint32_t, std::uint32_t> compute_;  // By rank: see find_compute().
};

}  // namespace

void bound_queues(WorkGraph& graph) {
  Queues(graph).bound();
}

}  // namespace stepcast
