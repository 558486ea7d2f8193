#include "sim/search/lanes/lane_candidates.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/jobs/edits/graph_path.hpp"
#include "sim/search/lanes/partition.hpp"

namespace stepcast {
namespace {

class LaneCandidates {
 public:
  LaneCandidates(const EditableStep& step, const GraphLanes& lanes, const TimedStep& now)
      : graph_(step.graphs.front()),
        lanes_(lanes),
        ratio_(step.ratio),
        times_(now.nodes.front()),
        ready_(data_ready(graph_, times_)),
        on_path_(graph_.nodes.size()) {
    for (const std::uint32_t id : critical_nodes(graph_, times_))
      on_path_[id] = true;
  }

  std::vector<LaneCandidate> run() && {
    for (const auto& [lane, nodes] : lanes_.all())
      offer(lane, nodes);
    return std::move(found_);
  }

 private:
  void offer(const CommunicationLane& lane, const std::vector<GraphLanes::Ids>& by_rank) {
    const GraphLanes::Ids& first = by_rank.front();
    for (std::uint32_t i = 0; i < first.size(); ++i) {
      const bool critical = std::ranges::any_of(by_rank, [&](const GraphLanes::Ids& nodes) {
        return i < nodes.size() && on_path_[nodes[i]];
      });
      if (!critical || !is_offered_by(lane, first[i]))
        continue;
      if (lanes_.passed_on_to(first[i]) != kNone)
        offer_cut({lane, i}, first[i]);
      if (i + 1 < first.size())
        offer_fusion({lane, i}, first[i], first[i + 1]);
    }
  }

  /// A message is on a lane of each of its ends: the first rank stands for all.
  bool is_offered_by(const CommunicationLane& lane, std::uint32_t id) const {
    return lane.rank == kNone || lanes_.lowest_rank_of(id) == lane.rank;
  }

  void offer_cut(const LanePlace& place, std::uint32_t id) {
    std::vector<TensorHop> hops;
    for (std::uint32_t at = id; at != kNone; at = lanes_.passed_on_to(at))
      hops.push_back({&graph_.nodes[at], &graph_.kinds[graph_.nodes[at].kind], taken(at)});
    const std::uint32_t parts = best_parts(hops, ratio_);
    const Seconds gain = time_in_pieces(hops, 1, ratio_) - time_in_pieces(hops, parts, ratio_);
    // Where theory sees no gain others may get in between: those come last.
    found_.push_back({.kind = EditKind::Split,
                      .place = place,
                      .parts = parts,
                      .text = fmt::format("cut {} {} of {} ({})", kind(place), place.number,
                                          stream(place), name(id)),
                      .estimate = std::max(gain, Seconds{})});
  }

  void offer_fusion(const LanePlace& place, std::uint32_t id, std::uint32_t behind) {
    const WorkNode& one = graph_.nodes[id];
    const WorkNode& two = graph_.nodes[behind];
    if (one.team != two.team || !one.fusable || !two.fusable)
      return;
    const bool sized = one.size > Bytes{} && two.size > Bytes{};
    const Seconds both = sized ? taken(behind) * ratio_(kind(place), two, one.size + two.size, 0, 0)
                               : taken(id) + taken(behind);
    const Seconds gain = times_[id].end + taken(behind) - ready_[behind] - both;
    if (gain > Seconds{})
      found_.push_back(
          {.kind = EditKind::Fuse,
           .place = place,
           .text = fmt::format("fuse {} {} and {} of {} ({}, {})", kind(place), place.number,
                               place.number + 1, stream(place), name(id), name(behind)),
           .estimate = std::min(gain, taken(id) + taken(behind) - both)});
  }

  Seconds taken(std::uint32_t id) const { return times_[id].end - times_[id].start; }
  const std::string& name(std::uint32_t id) const { return graph_.names[graph_.nodes[id].name]; }
  const std::string& kind(const LanePlace& place) const { return graph_.kinds[place.lane.kind]; }
  std::string stream(const LanePlace& place) const {
    const std::string& stream = graph_.streams[place.lane.stream].name;
    return place.lane.rank == kNone ? stream
                                    : fmt::format("{} of stage {}", stream, place.lane.rank);
  }

  const WorkGraph& graph_;
  const GraphLanes& lanes_;
  const TransferRatio& ratio_;
  const std::vector<Interval>& times_;
  std::vector<Seconds> ready_;  // See data_ready().
  std::vector<bool> on_path_;
  std::vector<LaneCandidate> found_;
};

}  // namespace

std::vector<LaneCandidate> lane_candidates(const EditableStep& step, const GraphLanes& lanes,
                                           const TimedStep& now) {
  return LaneCandidates(step, lanes, now).run();
}

}  // namespace stepcast
