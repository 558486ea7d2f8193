#pragma once
// What edits do to the structure of a graph, one function each.

#include <functional>
#include <optional>
#include <vector>

#include "models/graph/edit/graph_edit.hpp"
#include "models/graph/edit/graph_editor.hpp"

namespace stepcast {

/// Nodes that become one, in order.
using NodeGroup = std::vector<std::uint32_t>;

/// Another size, and the time that follows from it.
void resize(WorkNode& node, Bytes size, const std::string& kind, const TransferRatio& ratio);

/// The number of a stream of this name, which is added if there is none.
std::uint32_t stream_of(const std::string& name, WorkGraph& graph);

/// A new node behind (or before) each. What waited for a node, over edges, waits for the new one;
/// on another stream only that: what follows the node on its own stream does not.
void insert_beside(const GraphEdit& edit, const std::vector<std::uint32_t>& nodes,
                   GraphEditor& editor);

/// What waited for a node waits for what that waited for. A plan lets stages wait for each other in
/// communications only: one that joined some stays, and takes no time.
void remove_nodes(const std::vector<std::uint32_t>& nodes, GraphEditor& editor);

/// To another stream, and beside the nearest node of the same rank that is meant: of those before
/// it for "behind", of those after it for "before", else of all.
void move_beside(const GraphEdit& edit, const std::vector<std::uint32_t>& nodes,
                 GraphEditor& editor);

/// Where a row of neighbours ends.
struct RowEnds {
  std::optional<Bytes> up_to;  ///< When its bytes reach this.
  /// Of computation: at another kind, and behind what a communication waits for unless that takes
  /// no longer than the delay that is saved (Hu et al., dPRO, MLSys'22: fuse operations n-1 and n
  /// where q_d[n-1] <= p_d[n-1] + p_d[n] - t_fused).
  bool apart = false;
  /// Of computation: before what waits for another stream. Such a row never waits for itself, as
  /// nothing outside comes in between.
  bool at_waits = false;
};

/// Nodes that follow each other on their stream.
struct NodeRow {
  NodeGroup nodes;
  Bytes size{};  ///< The sum of the nodes' sizes.
};

/// Splits the chosen nodes into rows. A row ends where a node that was not chosen stands between on
/// the stream, or before a chosen node for which `ends_before(row, node)` is true.
std::vector<NodeGroup> rows_of(
    const WorkGraph& graph, const std::vector<std::uint32_t>& chosen,
    const std::function<bool(const NodeRow& row, std::uint32_t id)>& ends_before);

/// By node, whether it computes and waits for a node of another stream or rank.
std::vector<bool> waits_elsewhere(const WorkGraph& graph);

/// The chosen nodes that follow each other on their stream, compute and communication apart, as are
/// planned communications of other teams or kinds. Of communications those whose members are all
/// grouped alike.
std::vector<NodeGroup> neighbours(const WorkGraph& graph, const std::vector<std::uint32_t>& chosen,
                                  const RowEnds& ends);

/// Leaves out groups whose meetings are not grouped alike on all their members. `members`: see
/// members_of_meetings().
std::vector<NodeGroup> agreed(const WorkGraph& graph, const CompressedRows<>& members,
                              std::vector<NodeGroup> groups);

/// What a group is as one, but for its name and meeting: as long as all of them (communications of
/// known sizes: as one of all bytes) or `time`, with the delay of the first.
WorkNode merged_node(const WorkGraph& graph, const NodeGroup& group, std::optional<Seconds> time,
                     const TransferRatio& ratio);

/// The meetings of a group's nodes: groups with the same meet as one.
std::vector<std::uint32_t> meetings_of(const WorkGraph& graph, const NodeGroup& group);

/// Each group becomes its last node, as merged_node() says, ready when all would have been.
void merge(const std::vector<NodeGroup>& groups, std::optional<Seconds> time,
           const TransferRatio& ratio, GraphEditor& editor);

/// One of so many equal pieces of a node, the first: the others are not delayed.
WorkNode piece_of(const WorkGraph& graph, std::uint32_t id, std::uint32_t count,
                  const TransferRatio& ratio);

/// Each node becomes so many, or as many as pieces of at most `size` take, one behind the other.
/// What waited for it waits for all; a push and a pull in as many pieces are joined piece by piece.
void split(const std::vector<std::uint32_t>& nodes, std::uint32_t parts, std::optional<Bytes> size,
           const TransferRatio& ratio, GraphEditor& editor);

/// Communications get priorities in this order, and streams that take the ready one that is first.
/// Other nodes change places with each other on their stream.
void reorder(const std::vector<std::uint32_t>& nodes, SortKey key, bool descending,
             GraphEditor& editor);

/// Each row of neighbours on a stream runs so many times, one after the other. `at_waits`: rows end
/// as RowEnds says. Throws InputError where that would be more than 1e7 nodes.
void repeat(const std::vector<std::uint32_t>& nodes, std::uint32_t times, bool at_waits,
            GraphEditor& editor);

/// The recorded ranks again and again until there are so many: collectives of ranks of one stage
/// are of all copies, everything else of one. Throws InputError for a graph without ranks, or if
/// `ranks` is no multiple of theirs, or where that would be more than 1e7 nodes.
void replicate(std::uint32_t ranks, const TransferRatio& ratio, GraphEditor& editor);

}  // namespace stepcast
