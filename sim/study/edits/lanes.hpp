#pragma once

#include <vector>

#include "sim/study/edits/editable_step.hpp"

namespace stepcast {

/// Communications of one kind on one stream, of all ranks that have them.
struct CommunicationLane {
  std::uint32_t stream = 0;
  std::uint32_t kind = 0;
  std::uint32_t rank =
      kNone;  ///< Of a planned pipeline: only those in which this stage takes part.
};

/// The n-th communication of a lane, on all its ranks and in all steps: what is edited as one.
struct LanePlace {
  CommunicationLane lane;
  std::uint32_t number = 0;
};

/// By rank the communications of a lane in order.
std::vector<std::vector<std::uint32_t>> nodes_of(const WorkGraph& graph,
                                                 const CommunicationLane& lane);

/// Lanes with at least one communication.
std::vector<CommunicationLane> lanes_of(const WorkGraph& graph);

/// By node the only one that waits for it, if that is a communication; else kNone.
std::vector<std::uint32_t> passed_on_to(const WorkGraph& graph);

/// The communication at a place and its successor as one, also of what passes them on: with all
/// that take part.
WorkGraph fused_at(const WorkGraph& graph, const LanePlace& place, const TransferRatio& ratio);
/// It in so many pieces, and what passes it on.
WorkGraph split_at(const WorkGraph& graph, const LanePlace& place, std::uint32_t parts,
                   const TransferRatio& ratio);

}  // namespace stepcast
