#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "models/graph/step_graph.hpp"

namespace stepcast {

/// Texts that many nodes share, each once.
class SharedTexts {
 public:
  std::uint32_t number_of(std::string_view text);
  const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

/// A piece of work of a step, recorded or planned, as edits see it.
struct WorkNode {
  std::uint32_t name = 0;       ///< Into WorkGraph::names.
  std::uint32_t kind = 0;       ///< Into kinds: "forward", "update", "all-reduce".
  std::uint32_t layer = kNone;  ///< Into layers, which are in forward order; kNone: of none.
  std::uint32_t stream = 0;     ///< Into streams.
  std::uint32_t rank = kNone;   ///< kNone: all ranks alike.
  /// Nodes of the same number are one communication: each takes its duration from when the last of
  /// them is ready.
  std::uint32_t meeting = kNone;
  std::uint32_t origin = kNone;  ///< The node that it was, is a copy of, or was inserted beside.
  std::uint32_t team = kNone;    ///< Of a planned communication: among whom.
  std::int32_t priority = 0;     ///< On a stream that is not in order: lower goes first.
  bool communicates = false;
  bool inserted = false;
  bool free = false;    ///< Of a planned communication: it takes no time, its members only meet.
  bool fusable = true;  ///< Of a planned communication: it may be one with others.
  Seconds duration{};
  Seconds delay{};  ///< So much later is it ready than all that it waits for has ended: launches.
  Bytes size{};     ///< Of a communication; 0: not known.

  bool operator==(const WorkNode&) const = default;
};

struct WorkEdge {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  std::uint32_t later = 0;  ///< Iterations on.

  bool operator==(const WorkEdge&) const = default;
};

struct WorkStream {
  std::string name;
  bool in_order = true;
  /// Of a recorded step, not in order: one communication at a time, of those that are ready the one
  /// of the lowest priority number. Else work there runs beside each other.
  bool by_priority = false;

  bool operator==(const WorkStream&) const = default;
};

/// A step that can be edited. The nodes of one rank on one stream run one after the other, on a
/// stream in order as they stand here; edges are what else waits for what.
struct WorkGraph {
  std::vector<WorkNode> nodes;
  std::vector<WorkEdge> edges;
  std::vector<WorkStream> streams;
  /// A plan: what communications take follows from their sizes and the network.
  bool planned = false;
  bool timed_messages = false;  ///< Between stages they take times of their own, of no network.
  std::vector<std::uint32_t> stages;  ///< By rank, its stage of a pipeline; empty: all ranks alike.
  /// Of a planned pipeline, by rank of nodes, the ranks of the cluster that it stands for, in
  /// order; else empty.
  std::vector<std::vector<std::uint32_t>> members;
  SharedTexts names;
  SharedTexts kinds;
  SharedTexts layers;
};

/// Whether an edit left all as it was.
bool is_same_work(const WorkGraph& one, const WorkGraph& other);

/// By node the one before it of its rank and stream, kNone for a first one and on streams that are
/// not in order.
std::vector<std::uint32_t> nodes_before(const WorkGraph& graph);

/// One more than the largest number of a meeting.
std::uint32_t meeting_count(const WorkGraph& graph);

/// Returns the nodes of each collective (meeting), in ascending order.
CompressedRows<> members_of_meetings(const WorkGraph& graph);

/// Returns the dependencies within the iteration, the order of streams and the meetings as a graph
/// that can be replayed.
StepGraph step_graph_of(const WorkGraph& graph);

/// Returns whether no node waits for itself.
bool can_run(const WorkGraph& graph);

}  // namespace stepcast
