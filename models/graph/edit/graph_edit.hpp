#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/graph/edit/selection.hpp"

namespace stepcast {

enum class EditVerb : std::uint8_t {
  Scale,
  Set,
  Insert,
  Remove,
  Move,
  Merge,
  Split,
  Reorder,
  Repeat,
  Replicate,
};

/// What of a node a number is about.
enum class EditedValue : std::uint8_t { Time, Size, Delay };

/// Need: of a recorded step, by what computation waits for first.
enum class SortKey : std::uint8_t { Layer, Size, Time, Name, Need };

/// A change of a graph: which nodes, and what becomes of them (after Zhu et al., Daydream,
/// USENIX ATC 2020).
struct GraphEdit {
  EditVerb verb = EditVerb::Scale;
  WorkSelection what;
  std::string text;  ///< As written, for reports and errors.

  double factor = 1;                      ///< Scale: by.
  EditedValue value = EditedValue::Time;  ///< Scale: of what.
  std::optional<Seconds> time;            ///< Set, insert, merge.
  std::optional<Seconds> delay;           ///< Set.
  std::optional<Bytes> size;              ///< Set; split: of a piece; merge: closes at it.
  std::string name;                       ///< Insert: of the new node.
  std::string kind;                       ///< Insert: of the new node; default: the one's beside.
  std::string stream;                     ///< Insert, move: where to.
  bool before = false;                    ///< Insert, move: not behind.
  TextSelection beside;                   ///< Move: of which node, by name.
  std::uint32_t count = 0;                ///< Split: parts; repeat: times; replicate: ranks.
  SortKey key = SortKey::Layer;           ///< Reorder.
  bool descending = false;                ///< Reorder.
  bool apart = false;                     ///< Merge: RowEnds::apart.
};

/// "scale", "set", ..
std::vector<std::string> edit_verbs();

/// An edit from its verb and what was written of it by key. Keys that select: name, kind, layer,
/// stream (patterns, several with commas; with "!" behind: not these), rank and stage (3, 0-7) and
/// work (compute, communication). Throws InputError naming key and what would be right.
GraphEdit graph_edit_of(const std::string& verb, std::map<std::string, std::string> fields);

/// The first word of a text such as "scale kind=forward name=*gemm* by=0.5", and the pairs behind
/// it; values with blanks are in quotes. Throws InputError.
std::pair<std::string, std::map<std::string, std::string>> words_of_edit(std::string_view text);

/// How long a communication, which is of a kind, takes at another size, or among so many ranks (0:
/// as many as before), over how long it takes as it is.
using TransferRatio = std::function<double(const std::string& kind, const WorkNode& node, Bytes to,
                                           std::uint32_t members, std::uint32_t members_then)>;

/// How many nodes an edit is about, and what to say if there are none, or if it changed none.
std::size_t count_selected(const GraphEdit& edit, const WorkGraph& graph);
std::string nothing_selected(const GraphEdit& edit, const WorkGraph& graph);
std::string nothing_changed(const GraphEdit& edit);

struct EditOutcome {
  WorkGraph graph;
  std::size_t touched = 0;  ///< Nodes that were changed; merge: that others became.
};

/// The graph with the edit; what an edit leaves as it was is the same graph (is_same_work()).
/// `ratio` may be empty: then times are proportional to sizes. Where a row
/// that is merged or repeated would wait for itself it ends before what waits for another stream.
/// Linear in nodes and edges.
///
/// A planned communication is there for all that take part or for none, and has one size: who
/// selects it at one stage means it at all. Its time is the network's to say, but for none: with 0
/// its members only meet, and so they do where it joined stages and is removed: then there is
/// nothing left to scale, set, remove or split. What falls behind without end is bound: see
/// bound_queues().
///
/// Throws InputError beginning with the edit's text if it selects nothing, if nothing would be left
/// to compute, if something would wait for itself, or compute on a stream that goes by priority.
EditOutcome apply(const GraphEdit& edit, const WorkGraph& graph, const TransferRatio& ratio);

}  // namespace stepcast
