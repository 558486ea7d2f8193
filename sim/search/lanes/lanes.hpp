#pragma once

#include <map>
#include <span>
#include <vector>

#include "sim/search/lanes/changed_graph.hpp"

namespace stepcast {

/// Communications of one kind on one stream, of all ranks that have them.
struct CommunicationLane {
  std::uint32_t stream = 0;
  std::uint32_t kind = 0;
  std::uint32_t rank =
      kNone;  ///< Of a planned pipeline: only those in which this stage takes part.

  auto operator<=>(const CommunicationLane&) const = default;
};

/// The n-th communication of a lane, on all its ranks and in all steps: what is edited as one.
struct LanePlace {
  CommunicationLane lane;
  std::uint32_t number = 0;
};

/// The lanes of a graph, and what fusing or cutting at a place of one would change.
class GraphLanes {
 public:
  using Ids = std::vector<std::uint32_t>;

  /// `graph` must outlive this.
  explicit GraphLanes(const WorkGraph& graph);

  /// By lane, and by rank that has some of it, its communications in order.
  const std::map<CommunicationLane, std::vector<Ids>>& all() const { return lanes_; }
  /// The only one that waits for a node, if both are communications; else kNone.
  std::uint32_t passed_on_to(std::uint32_t id) const { return next_[id]; }

  /// The same communication as other stages have it, itself included, in order of ranks; of all
  /// ranks it alone, where the lane is of all.
  Ids partners_of(const CommunicationLane& lane, std::uint32_t id) const;

  /// Returns the lowest rank that takes part in the same communication.
  std::uint32_t lowest_rank_of(std::uint32_t id) const;

  /// The communication at a place and its successor as one, also of what passes them on: with all
  /// that take part.
  LaneChange fusion_at(const LanePlace& place) const;
  /// It in so many pieces, and what passes it on.
  LaneChange cut_at(const LanePlace& place, std::uint32_t parts) const;

 private:
  std::span<const Ids> nodes_of(const CommunicationLane& lane) const;

  const WorkGraph& graph_;
  CompressedRows<> members_;  // By meeting.
  std::map<CommunicationLane, std::vector<Ids>> lanes_;
  Ids next_;
};

/// The graph with such a change. Throws InputError where something of a plan would wait for itself;
/// of a recorded graph its replay says so.
WorkGraph changed(const WorkGraph& graph, const LaneChange& change, const TransferRatio& ratio);

}  // namespace stepcast
