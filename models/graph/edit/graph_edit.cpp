#include "models/graph/edit/graph_edit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/graph/edit/graph_editor.hpp"
#include "models/graph/edit/structure.hpp"

namespace stepcast {
namespace {

using Chosen = std::vector<std::uint32_t>;

/// Whether what is chosen takes no time then.
bool takes_none(const GraphEdit& edit) {
  return edit.verb == EditVerb::Set
             ? edit.time && *edit.time == Seconds{}
             : edit.verb == EditVerb::Scale && edit.value == EditedValue::Time && edit.factor == 0;
}

/// What a planned communication takes is for the simulation to say.
void refuse_times_of_planned(const GraphEdit& edit, const Chosen& chosen, const WorkGraph& graph) {
  if (!graph.planned)
    return;
  const bool of_delay =
      edit.delay || (edit.verb == EditVerb::Scale && edit.value == EditedValue::Delay);
  if (of_delay)
    throw InputError("a planned step has no delays of launches");
  const bool of_time =
      ((edit.verb == EditVerb::Set || edit.verb == EditVerb::Merge) && edit.time) ||
      (edit.verb == EditVerb::Scale && edit.value == EditedValue::Time);
  if (of_time && !takes_none(edit) &&
      std::ranges::any_of(chosen, [&](std::uint32_t id) { return graph.nodes[id].communicates; }))
    throw InputError(
        "what a planned communication takes follows from its size and the network: expected "
        "of=size or size=, by=0 or time=0s for none, or kinds that compute");
}

/// New numbers of a node; sizes come first, as times follow from them.
void set_values(const GraphEdit& edit, WorkNode& node, const std::string& kind,
                const TransferRatio& ratio) {
  if (edit.verb == EditVerb::Set) {
    if (edit.size)
      resize(node, *edit.size, kind, ratio);
    node.duration = edit.time.value_or(node.duration);
    node.delay = edit.delay.value_or(node.delay);
    return;
  }
  switch (edit.value) {
    case EditedValue::Time:
      node.duration = node.duration * edit.factor;
      return;
    case EditedValue::Delay:
      node.delay = node.delay * edit.factor;
      return;
    case EditedValue::Size:
      return resize(node, node.size * edit.factor, kind, ratio);
  }
}

void insert(const GraphEdit& edit, const Chosen& chosen, GraphEditor& editor) {
  const std::uint32_t name = editor.graph().names.number_of(edit.name);
  const std::uint32_t stream = edit.stream.empty() ? kNone : stream_of(edit.stream, editor.graph());
  std::vector<std::uint32_t> added(editor.size(), kNone);
  for (const std::uint32_t id : chosen) {
    WorkNode node = editor.node(id);
    node.name = name;
    node.kind = edit.kind.empty() ? node.kind : editor.graph().kinds.number_of(edit.kind);
    node.stream = stream == kNone ? node.stream : stream;
    node.meeting = kNone;
    node.team = kNone;
    node.communicates = false;
    node.free = false;
    node.inserted = true;
    node.duration = *edit.time;
    node.delay = {};
    node.size = {};
    if (edit.kind.empty() && editor.node(id).communicates)
      node.kind = editor.graph().kinds.number_of("other");
    added[id] = editor.add(node, id, edit.before);
  }
  for (WorkEdge& edge : editor.graph().edges)
    if (edit.before && added[edge.after] != kNone)
      edge.after = added[edge.after];
    else if (!edit.before && added[edge.before] != kNone)
      edge.before = added[edge.before];
  for (const std::uint32_t id : chosen)
    edit.before ? editor.edge(added[id], id) : editor.edge(id, added[id]);
}

/// What waited for a node waits for what that waited for. A plan lets stages wait for each other in
/// communications only: one that joined some stays, and takes no time.
void remove(const Chosen& chosen, GraphEditor& editor) {
  for (const std::uint32_t id : chosen)
    if (editor.graph().planned && editor.node(id).meeting != kNone)
      editor.node(id).free = true;
    else
      editor.remove(id);
}

/// Beside the nearest node of the same rank that is meant: of those before it for "behind", of
/// those after it for "before", else of all.
void move(const GraphEdit& edit, const Chosen& chosen, GraphEditor& editor) {
  if (!edit.stream.empty()) {
    const std::uint32_t stream = stream_of(edit.stream, editor.graph());
    for (const std::uint32_t id : chosen)
      editor.node(id).stream = stream;
  }
  if (edit.beside.any.empty())
    return;
  WorkSelection beside;
  beside.name = edit.beside;
  const std::vector<bool> is_beside = selected(editor.graph(), beside);
  std::map<std::uint32_t, std::uint32_t> of_rank;
  for (std::uint32_t id = 0; id < is_beside.size(); ++id)
    if (is_beside[id]) {
      const auto [found, first] = of_rank.try_emplace(editor.node(id).rank, id);
      found->second = edit.before ? found->second : id;
    }
  for (const std::uint32_t id : chosen)
    if (const auto found = of_rank.find(editor.node(id).rank);
        found != of_rank.end() && found->second != id) {
      editor.place(id, found->second, edit.before);
      edit.before ? editor.edge(id, found->second) : editor.edge(found->second, id);
    }
}

void change(const GraphEdit& edit, const Chosen& chosen, const TransferRatio& ratio, bool at_waits,
            GraphEditor& editor) {
  switch (edit.verb) {
    case EditVerb::Scale:
    case EditVerb::Set:
      for (const std::uint32_t id : chosen) {
        WorkNode& node = editor.node(id);
        set_values(edit, node, editor.graph().kinds[node.kind], ratio);
        node.free |= takes_none(edit) && node.communicates && editor.graph().planned;
      }
      return;
    case EditVerb::Insert:
      return insert(edit, chosen, editor);
    case EditVerb::Remove:
      return remove(chosen, editor);
    case EditVerb::Move:
      return move(edit, chosen, editor);
    case EditVerb::Merge:
      return merge(neighbours(editor.graph(), chosen,
                              {.up_to = edit.size, .apart = edit.apart, .at_waits = at_waits}),
                   edit.time, ratio, editor);
    case EditVerb::Split:
      return split(chosen, edit.count, edit.size, ratio, editor);
    case EditVerb::Reorder:
      return reorder(chosen, edit.key, edit.descending, editor);
    case EditVerb::Repeat:
      return repeat(chosen, edit.count, at_waits, editor);
    case EditVerb::Replicate:
      return replicate(edit.count, ratio, editor);
  }
}

/// Sizes are changed of what has one.
bool needs_size(const GraphEdit& edit) {
  return (edit.verb == EditVerb::Scale && edit.value == EditedValue::Size) ||
         (edit.size && edit.verb != EditVerb::Merge);
}

/// Of a planned communication all that take part, but beside it stands what is inserted at one.
void add_partners(const WorkGraph& graph, std::vector<bool>& is_chosen) {
  std::set<std::uint32_t> meetings;
  for (std::uint32_t id = 0; id < is_chosen.size(); ++id)
    if (is_chosen[id] && graph.nodes[id].meeting != kNone)
      meetings.insert(graph.nodes[id].meeting);
  for (std::uint32_t id = 0; id < is_chosen.size(); ++id)
    if (meetings.contains(graph.nodes[id].meeting))
      is_chosen[id] = true;
}

Chosen chosen_of(const GraphEdit& edit, const WorkGraph& graph) try {
  std::vector<bool> is_chosen = selected(graph, edit.what);
  if (graph.planned && edit.verb != EditVerb::Insert)
    add_partners(graph, is_chosen);
  // A planned communication without a size takes a time of its own, whatever it moves.
  const auto has_size = [&](const WorkNode& node) {
    const bool of_plan = edit.verb == EditVerb::Split && graph.planned && node.communicates;
    return node.size > Bytes{} || !(needs_size(edit) || of_plan);
  };
  Chosen chosen;
  for (std::uint32_t id = 0; id < is_chosen.size(); ++id)
    if (is_chosen[id] && has_size(graph.nodes[id]))
      chosen.push_back(id);
  return chosen;
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", edit.text, error.what()));
}

}  // namespace

std::size_t count_selected(const GraphEdit& edit, const WorkGraph& graph) {
  return chosen_of(edit, graph).size();
}

std::string nothing_selected(const GraphEdit& edit, const WorkGraph& graph) {
  std::string text =
      fmt::format("{}: selects nothing{}; kinds are {}", edit.text,
                  needs_size(edit) ? " of known size" : "", fmt::join(graph.kinds.all(), ", "));
  if (!edit.what.stages.empty() && !graph.stages.empty())
    text += fmt::format("; stages are 0 to {}", std::ranges::max(graph.stages));
  if (!edit.what.ranks.empty() && !graph.stages.empty())
    text += fmt::format("; ranks are 0 to {}", graph.members.empty() ? graph.stages.size() - 1
                                                                     : graph.members.back().back());
  return text;
}

EditOutcome apply(const GraphEdit& edit, const WorkGraph& graph, const TransferRatio& ratio) {
  const Chosen chosen = chosen_of(edit, graph);
  if (chosen.empty())
    throw InputError(nothing_selected(edit, graph));
  const auto changed = [&](bool at_waits) {
    GraphEditor editor(graph);
    change(edit, chosen, ratio, at_waits, editor);
    return std::move(editor).finish();
  };
  try {
    refuse_times_of_planned(edit, chosen, graph);
    EditOutcome outcome{.graph = changed(false), .touched = chosen.size()};
    const bool of_rows = edit.verb == EditVerb::Merge || edit.verb == EditVerb::Repeat;
    if (of_rows && !can_run(outcome.graph))
      outcome.graph = changed(true);
    if (!can_run(outcome.graph))
      throw InputError("something would wait for itself");
    return outcome;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", edit.text, error.what()));
  }
}

}  // namespace stepcast
