#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/graph/edit/structure.hpp"

namespace stepcast {

/// Communications that are fused, or cut: what a candidate of the search changes.
struct LaneChange {
  std::vector<NodeGroup> fused;    ///< Each becomes its last node.
  std::vector<std::uint32_t> cut;  ///< Each becomes so many pieces.
  std::uint32_t parts = 1;
};

/// What waits for what in a recorded graph of which some communications are fused or cut, as
/// merge() and split() would have it, without a new graph: nodes keep their numbers, pieces get
/// those behind. A change costs what it touches.
class ChangedGraph {
 public:
  using Ids = std::vector<std::uint32_t>;

  /// `graph` must outlive this. Linear in nodes and edges.
  explicit ChangedGraph(const WorkGraph& graph);

  /// False, and nothing is changed, where a node is named twice. One change at a time.
  bool change(const LaneChange& change, const TransferRatio& ratio);
  void take_back();

  std::uint32_t size() const { return static_cast<std::uint32_t>(info_at_.size()); }
  std::uint32_t meetings() const;
  /// Nodes that the change made or altered, or that have another one before them.
  const Ids& touched() const { return touched_; }
  bool is_gone(std::uint32_t id) const {
    return info_at_[id] == kNone && id < became_at_.size() && became_at_[id] != kNone;
  }
  Seconds duration(std::uint32_t id) const {
    return info_at_[id] == kNone ? graph_.nodes[id].duration : infos_[info_at_[id]].duration;
  }
  Seconds delay(std::uint32_t id) const {
    return info_at_[id] == kNone ? graph_.nodes[id].delay : infos_[info_at_[id]].delay;
  }
  std::uint32_t meeting(std::uint32_t id) const {
    return info_at_[id] == kNone ? graph_.nodes[id].meeting : infos_[info_at_[id]].meeting;
  }

  /// What waits for a node, by edges and in order of its stream; some perhaps twice.
  template <typename Visit>
  void for_each_follower(std::uint32_t id, Visit visit) const {
    for_each_linked(followers_, id, visit);
    if (behind_[id] != kNone)
      visit(behind_[id]);
  }
  /// What it waits for.
  template <typename Visit>
  void for_each_earlier(std::uint32_t id, Visit visit) const {
    for_each_linked(earlier_, id, visit);
    if (before_[id] != kNone)
      visit(before_[id]);
  }
  template <typename Visit>
  void for_each_member(std::uint32_t meeting, Visit visit) const {
    const auto known = static_cast<std::uint32_t>(members_.size());
    for (const std::uint32_t member :
         meeting < known ? members_.of(meeting) : std::span(new_members_[meeting - known]))
      visit(member);
  }

 private:
  struct Piece {
    std::uint32_t node = 0;
    std::uint32_t number = 0;
    std::uint32_t of = 1;
  };
  /// A node that is not as it was.
  struct Info {
    Ids from;                 ///< Nodes of the graph whose edges it has.
    std::uint32_t piece = 0;  ///< The how many-th of its node.
    std::uint32_t pieces = 1;
    std::uint32_t meeting = kNone;
    Seconds duration{};
    Seconds delay{};
  };

  void fuse(const NodeGroup& group, const TransferRatio& ratio);
  void cut(std::uint32_t id, std::uint32_t parts, const TransferRatio& ratio);
  /// The number of the meeting that these became, which the node joins.
  std::uint32_t joined(const std::vector<std::uint32_t>& meetings, std::uint32_t id);
  void set_info(std::uint32_t id, Info info);
  void take_from_stream(std::uint32_t id);
  std::uint32_t add_behind(std::uint32_t id, bool in_order);

  template <typename Visit>
  void for_each_linked(const CompressedRows<>& links, std::uint32_t id, Visit visit) const {
    if (info_at_[id] == kNone)
      return for_each_of(links, id, {.node = id}, visit);
    const Info& info = infos_[info_at_[id]];
    for (const std::uint32_t from : info.from)
      for_each_of(links, from, {id, info.piece, info.pieces}, visit);
  }
  // Piece to piece where both ends are communications in as many, else from all to all.
  template <typename Visit>
  void for_each_of(const CompressedRows<>& links, std::uint32_t from, const Piece& piece,
                   Visit visit) const {
    for (const std::uint32_t other : links.of(from)) {
      if (became_at_[other] == kNone) {
        visit(other);
        continue;
      }
      const Ids& pieces = became_[became_at_[other]];
      if (piece.of > 1 && piece.of == pieces.size() && graph_.nodes[from].communicates &&
          graph_.nodes[other].communicates) {
        visit(pieces[piece.number]);
        continue;
      }
      for (const std::uint32_t each : pieces)
        if (each != piece.node)
          visit(each);
    }
  }

  const WorkGraph& graph_;
  CompressedRows<> followers_;
  CompressedRows<> earlier_;
  CompressedRows<> members_;  // By meeting.
  Ids before_;                // On its stream, where that is in order; of pieces too.
  Ids behind_;
  Ids became_at_;  // By node of the graph, into became_; kNone: itself.
  Ids info_at_;    // By node, into infos_; kNone: as it was.
  // Of the change:
  std::vector<Ids> became_;
  std::vector<Info> infos_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> meeting_of_;  // See joined().
  std::vector<Ids> new_members_;
  Ids named_;
  Ids taken_;  // From their streams, in this order.
  Ids touched_;
};

}  // namespace stepcast
