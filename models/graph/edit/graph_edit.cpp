#include "models/graph/edit/graph_edit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/graph/edit/graph_editor.hpp"
#include "models/graph/edit/launch_queue.hpp"
#include "models/graph/edit/needs.hpp"
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

/// How many nodes it changed.
std::size_t change(const GraphEdit& edit, const Chosen& chosen, const TransferRatio& ratio,
                   bool at_waits, GraphEditor& editor) {
  switch (edit.verb) {
    case EditVerb::Scale:
    case EditVerb::Set:
      for (const std::uint32_t id : chosen) {
        WorkNode& node = editor.node(id);
        set_values(edit, node, editor.graph().kinds[node.kind], ratio);
        node.free |= takes_none(edit) && node.communicates && editor.graph().planned;
      }
      break;
    case EditVerb::Insert:
      insert_beside(edit, chosen, editor);
      break;
    case EditVerb::Remove:
      remove_nodes(chosen, editor);
      break;
    case EditVerb::Move:
      move_beside(edit, chosen, editor);
      break;
    case EditVerb::Merge: {
      const RowEnds ends{.up_to = edit.size, .apart = edit.apart, .at_waits = at_waits};
      const std::vector<NodeGroup> groups = neighbours(editor.graph(), chosen, ends);
      merge(groups, edit.time, ratio, editor);
      return groups.size();
    }
    case EditVerb::Split:
      split(chosen, edit.count, edit.size, ratio, editor);
      break;
    case EditVerb::Reorder:
      if (edit.key == SortKey::Need) {
        reorder_by_need(chosen, editor);
        break;
      }
      reorder(chosen, edit.key, edit.descending, editor);
      break;
    case EditVerb::Repeat:
      repeat(chosen, edit.count, at_waits, editor);
      break;
    case EditVerb::Replicate:
      replicate(edit.count, ratio, editor);
      break;
  }
  return chosen.size();
}

/// Sizes are changed of what has one.
bool needs_size(const GraphEdit& edit) {
  return (edit.verb == EditVerb::Scale && edit.value == EditedValue::Size) ||
         (edit.size && edit.verb != EditVerb::Merge);
}

/// Of what takes no time any more nothing is left to change.
bool is_of_values(const GraphEdit& edit) {
  return edit.verb == EditVerb::Scale || edit.verb == EditVerb::Set ||
         edit.verb == EditVerb::Remove || edit.verb == EditVerb::Split;
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
    if (is_chosen[id] && has_size(graph.nodes[id]) && !(graph.nodes[id].free && is_of_values(edit)))
      chosen.push_back(id);
  return chosen;
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", edit.text, error.what()));
}

void require_work(const WorkGraph& graph) {
  if (std::ranges::none_of(
          graph.nodes, [&](const WorkNode& node) { return !(graph.planned && node.communicates); }))
    throw InputError(fmt::format("nothing would be left {}: expected some of it to stay",
                                 graph.planned ? "that computes" : "of the step"));
}

/// Of a plan: priorities are of communications.
void require_order(const WorkGraph& graph) {
  for (const WorkNode& node : graph.nodes)
    if (const WorkStream& stream = graph.streams[node.stream];
        graph.planned && !node.communicates && !stream.in_order)
      throw InputError(fmt::format(
          "stream {} takes communications by priority: expected what computes on another",
          in_quotes(stream.name)));
}

/// Each once: ranks have streams of one name.
std::string names_of_streams(const WorkGraph& graph) {
  std::set<std::string_view> names;
  for (const WorkStream& stream : graph.streams)
    names.insert(stream.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::size_t count_selected(const GraphEdit& edit, const WorkGraph& graph) {
  return chosen_of(edit, graph).size();
}

std::string nothing_selected(const GraphEdit& edit, const WorkGraph& graph) {
  const std::vector<bool> named = selected(graph, edit.what);
  for (std::uint32_t id = 0; id < named.size(); ++id)
    if (named[id] && graph.nodes[id].free)
      return edit.text + ": selects only what takes no time since an edit before this one";
  std::vector<std::string> left;
  std::vector<std::string> gone;
  for (std::uint32_t kind = 0; kind < graph.kinds.size(); ++kind)
    (std::ranges::count(graph.nodes, kind, &WorkNode::kind) > 0 ? left : gone)
        .push_back(graph.kinds[kind]);
  std::string text = fmt::format("{}: selects nothing{}; kinds are {}", edit.text,
                                 needs_size(edit) ? " of known size" : "", fmt::join(left, ", "));
  if (!gone.empty())
    text += fmt::format("; there is nothing of {}", fmt::join(gone, ", "));
  if (!edit.what.stream.any.empty() || !edit.what.stream.none.empty())
    text += "; streams are " + names_of_streams(graph);
  if (!edit.what.stages.empty() && !graph.stages.empty())
    text += fmt::format("; stages are 0 to {}", std::ranges::max(graph.stages));
  if (!edit.what.ranks.empty() && !graph.stages.empty())
    text += fmt::format("; ranks are 0 to {}", graph.members.empty() ? graph.stages.size() - 1
                                                                     : graph.members.back().back());
  return text;
}

std::string nothing_changed(const GraphEdit& edit) {
  return edit.text +
         ": changes nothing: no two that it selects follow each other on a stream and may be one";
}

EditOutcome apply(const GraphEdit& edit, const WorkGraph& graph, const TransferRatio& ratio) {
  const Chosen chosen = chosen_of(edit, graph);
  if (chosen.empty())
    throw InputError(nothing_selected(edit, graph));
  const auto changed = [&](bool at_waits) {
    GraphEditor editor(graph);
    const std::size_t touched = change(edit, chosen, ratio, at_waits, editor);
    return EditOutcome{.graph = std::move(editor).finish(), .touched = touched};
  };
  try {
    refuse_times_of_planned(edit, chosen, graph);
    EditOutcome outcome = changed(false);
    if (is_same_work(outcome.graph, graph))
      return {.graph = graph, .touched = outcome.touched};
    const bool of_rows = edit.verb == EditVerb::Merge || edit.verb == EditVerb::Repeat;
    if (of_rows && !can_run(outcome.graph))
      outcome = changed(true);
    if (!can_run(outcome.graph))
      throw InputError("something would wait for itself");
    require_work(outcome.graph);
    require_order(outcome.graph);
    if (graph.planned)
      bound_queues(outcome.graph);
    return outcome;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", edit.text, error.what()));
  }
}

}  // namespace stepcast
