#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/edit/structure.hpp"

// Split, repeat and replicate: one node becomes several. Which pieces an edge joins follows from
// what its two ends became.

namespace stepcast {
namespace {

constexpr std::uint32_t kMostPieces = 4096;

using Pieces = std::vector<std::vector<std::uint32_t>>;  // By node, itself first; empty: as it was.

/// Numbers for the copies of a meeting: the same for all its members.
class NewMeetings {
 public:
  explicit NewMeetings(const WorkGraph& graph) : next_(meeting_count(graph)) {}

  std::uint32_t of(std::uint32_t meeting, std::uint32_t copy) {
    if (meeting == kNone || copy == 0)
      return meeting;
    const auto [found, added] = numbers_.try_emplace({meeting, copy}, next_);
    next_ += added ? 1 : 0;
    return found->second;
  }

 private:
  std::uint32_t next_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
};

/// Edges of split nodes: piece to piece where both ends are communications in as many pieces, else
/// from all to all. The first pieces have the edge of the whole ones already.
void split_edges(const Pieces& pieces, GraphEditor& editor) {
  const std::vector<WorkEdge> edges = editor.graph().edges;
  const auto of = [&](std::uint32_t id) {
    return pieces[id].empty() ? std::vector<std::uint32_t>{id} : pieces[id];
  };
  for (const WorkEdge& edge : edges) {
    if (pieces[edge.before].empty() && pieces[edge.after].empty())
      continue;
    const auto from = of(edge.before);
    const auto to = of(edge.after);
    const bool paired = from.size() == to.size() && editor.node(edge.before).communicates &&
                        editor.node(edge.after).communicates;
    for (std::size_t i = 0; i < from.size(); ++i)
      for (std::size_t j = 0; j < to.size(); ++j)
        if (i + j > 0 && (!paired || i == j))
          editor.edge(from[i], to[j], edge.later);
  }
}

std::uint32_t piece_count(const WorkNode& node, std::uint32_t parts, std::optional<Bytes> size) {
  if (!size)
    return parts;
  const double count = node.size > Bytes{} ? std::ceil(node.size / *size - 1e-9) : 1;
  if (count > kMostPieces)
    throw InputError(fmt::format("expected at most {} pieces, found {:.0f}", kMostPieces, count));
  return static_cast<std::uint32_t>(std::max(1.0, count));
}

void refuse_more_nodes_than_fit(double nodes) {
  constexpr double kMost = 1e7;
  if (nodes > kMost)
    throw InputError(
        fmt::format("the step would have {:.2g} pieces of work: expected fewer copies, for at most "
                    "{:.0e}",
                    nodes, kMost));
}

/// Before there are any: a computation in many pieces is joined with all pieces of what follows it.
void refuse_too_many(const std::vector<std::uint32_t>& nodes, std::uint32_t parts,
                     std::optional<Bytes> size, GraphEditor& editor) {
  constexpr double kMost = 1e7;
  std::vector<double> count(editor.size(), 1);
  double links = 0;
  for (const std::uint32_t id : nodes)
    links += count[id] = piece_count(editor.node(id), parts, size);
  for (const WorkEdge& edge : editor.graph().edges)
    links += count[edge.before] * (count[edge.before] == count[edge.after] &&
                                           editor.node(edge.before).communicates &&
                                           editor.node(edge.after).communicates
                                       ? 1
                                       : count[edge.after]);
  if (links > kMost)
    throw InputError(
        fmt::format("its pieces and what joins them would be {:.2g}: expected fewer or larger "
                    "pieces, for at most {:.0e}",
                    links, kMost));
}

}  // namespace

WorkNode piece_of(const WorkGraph& graph, std::uint32_t id, std::uint32_t count,
                  const TransferRatio& ratio) {
  WorkNode piece = graph.nodes[id];
  if (piece.communicates && piece.size > Bytes{})
    resize(piece, piece.size / static_cast<double>(count), graph.kinds[piece.kind], ratio);
  else
    piece.duration = piece.duration / static_cast<double>(count);
  return piece;
}

void split(const std::vector<std::uint32_t>& nodes, std::uint32_t parts, std::optional<Bytes> size,
           const TransferRatio& ratio, GraphEditor& editor) {
  refuse_too_many(nodes, parts, size, editor);
  Pieces pieces(editor.size());
  NewMeetings meetings(editor.graph());
  for (const std::uint32_t id : nodes) {
    const std::uint32_t count = piece_count(editor.node(id), parts, size);
    if (count < 2)
      continue;
    const WorkNode whole = editor.node(id);
    WorkNode piece = piece_of(editor.graph(), id, count, ratio);
    const std::string name = editor.graph().names[whole.name];
    editor.node(id) = piece;
    pieces[id].push_back(id);
    for (std::uint32_t i = 1; i < count; ++i) {
      piece.meeting = meetings.of(whole.meeting, i);
      piece.name = editor.graph().names.number_of(fmt::format("{}[{}]", name, i));
      piece.delay = {};
      pieces[id].push_back(editor.add(piece, id));
    }
  }
  split_edges(pieces, editor);
}

void repeat(const std::vector<std::uint32_t>& nodes, std::uint32_t times, bool at_waits,
            GraphEditor& editor) {
  refuse_more_nodes_than_fit(editor.size() + static_cast<double>(nodes.size()) * (times - 1.0));
  const std::uint32_t count = editor.size();
  const std::vector<bool> begins =
      at_waits ? waits_elsewhere(editor.graph()) : std::vector<bool>(count);
  const std::vector<NodeGroup> runs =
      rows_of(editor.graph(), nodes, [&](const NodeRow&, std::uint32_t id) { return begins[id]; });
  NewMeetings meetings(editor.graph());
  std::vector<std::uint32_t> last(count, kNone);  // The copies that others wait for.
  const std::vector<WorkEdge> edges = editor.graph().edges;
  std::vector<std::vector<std::uint32_t>> copies(count);
  for (const NodeGroup& run : runs)
    for (std::uint32_t copy = 1; copy < times; ++copy)
      for (const std::uint32_t id : run) {
        WorkNode node = editor.node(id);
        node.meeting = meetings.of(node.meeting, copy);
        copies[id].push_back(editor.add(node, run.back()));
        last[id] = copies[id].back();
      }
  for (WorkEdge& edge : editor.graph().edges)
    if (last[edge.before] != kNone && last[edge.after] == kNone)
      edge.before = last[edge.before];
  for (const WorkEdge& edge : edges)
    if (last[edge.before] != kNone && last[edge.after] != kNone)
      for (std::size_t copy = 0; copy < copies[edge.before].size(); ++copy)
        editor.edge(copies[edge.before][copy], copies[edge.after][copy], edge.later);
}

void replicate(std::uint32_t ranks, const TransferRatio& ratio, GraphEditor& editor) {
  const auto have = static_cast<std::uint32_t>(editor.graph().stages.size());
  if (editor.graph().planned || have == 0)
    throw InputError("a planned step stands for all ranks: expected another cluster");
  if (ranks % have != 0 || ranks <= have)
    throw InputError(
        fmt::format("expected a multiple of the {} recorded ranks, found {}", have, ranks));
  const std::uint32_t count = editor.size();
  refuse_more_nodes_than_fit(static_cast<double>(count) * ranks / have);
  const auto stage_of = [&](std::uint32_t id) {
    return editor.graph().stages[editor.node(id).rank];
  };
  const CompressedRows<> members = members_of_meetings(editor.graph());
  std::vector<bool> shared;
  for (std::uint32_t meeting = 0; meeting < members.size(); ++meeting)
    shared.push_back(std::ranges::all_of(members.of(meeting), [&](std::uint32_t id) {
      return stage_of(id) == stage_of(members.of(meeting).front());
    }));
  const std::uint32_t times = ranks / have;
  NewMeetings meetings(editor.graph());
  const std::vector<WorkEdge> edges = editor.graph().edges;
  for (std::uint32_t copy = 1; copy < times; ++copy) {
    std::vector<std::uint32_t> added(count);
    for (std::uint32_t id = 0; id < count; ++id) {
      WorkNode node = editor.node(id);
      node.rank += copy * have;
      if (node.meeting != kNone && !shared[node.meeting])
        node.meeting = meetings.of(node.meeting, copy);
      added[id] = editor.add(node, id);
    }
    for (const WorkEdge& edge : edges)
      editor.edge(added[edge.before], added[edge.after], edge.later);
  }
  WorkGraph& graph = editor.graph();
  for (WorkNode& node : graph.nodes)
    if (node.meeting != kNone && node.meeting < shared.size() && shared[node.meeting] && ratio) {
      const auto met = static_cast<std::uint32_t>(members.of(node.meeting).size());
      node.duration =
          node.duration * ratio(graph.kinds[node.kind], node, node.size, met, met * times);
    }
  const std::vector<std::uint32_t> stages = graph.stages;
  for (std::uint32_t copy = 1; copy < times; ++copy)
    graph.stages.insert(graph.stages.end(), stages.begin(), stages.end());
}

}  // namespace stepcast
