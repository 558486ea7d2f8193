#include "models/graph/edit/selection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

std::vector<bool> holding(const std::vector<std::string>& texts, const TextSelection& selection) {
  std::vector<bool> holds;
  for (const std::string& text : texts)
    holds.push_back(selection.holds(text));
  return holds;
}

bool is_in(const NumberRanges& ranges, std::uint32_t number) {
  return ranges.empty() || std::ranges::any_of(ranges, [&](const auto& range) {
           return range.first <= number && number <= range.second;
         });
}

constexpr const char* kSlowRank = "a slow one is `set` straggler.RANK=FACTOR";

/// By rank of nodes, whether it is meant.
std::vector<bool> chosen_ranks(const WorkGraph& graph, const WorkSelection& selection) {
  if (!selection.stages.empty() && graph.stages.empty())
    throw InputError("stage: this step has no stages: expected a pipeline's");
  if (!selection.ranks.empty() && graph.planned && graph.members.empty())
    throw InputError(
        fmt::format("rank: all ranks do the same in this plan: expected none; {}", kSlowRank));
  std::vector<bool> chosen;
  for (std::uint32_t rank = 0; rank < graph.stages.size(); ++rank) {
    const std::uint32_t stage = graph.stages[rank];
    const auto is_meant = [&](std::uint32_t of) { return is_in(selection.ranks, of); };
    const bool any =
        graph.members.empty() ? is_meant(rank) : std::ranges::any_of(graph.members[rank], is_meant);
    if (any && !graph.members.empty() && !std::ranges::all_of(graph.members[rank], is_meant))
      throw InputError(fmt::format(
          "rank: the {} ranks of stage {} ({} to {}) do the same in this plan: expected all of "
          "them, or stage={}; {}",
          graph.members[rank].size(), stage, graph.members[rank].front(),
          graph.members[rank].back(), stage, kSlowRank));
    chosen.push_back(any && is_in(selection.stages, stage));
  }
  return chosen;
}

}  // namespace

// Backs up to the last star only: what came before it has matched as early as it can.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_text = in_text;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*')
    ++at;
  return at == pattern.size();
}

bool TextSelection::holds(std::string_view text) const {
  const auto is_such = [&](const std::string& pattern) { return matches(pattern, text); };
  return (any.empty() || std::ranges::any_of(any, is_such)) && std::ranges::none_of(none, is_such);
}

std::vector<bool> selected(const WorkGraph& graph, const WorkSelection& selection) {
  const std::vector<bool> names = holding(graph.names.all(), selection.name);
  const std::vector<bool> kinds = holding(graph.kinds.all(), selection.kind);
  const std::vector<bool> layers = holding(graph.layers.all(), selection.layer);
  std::vector<bool> streams;
  for (const WorkStream& stream : graph.streams)
    streams.push_back(selection.stream.holds(stream.name));
  const bool of_no_layer = selection.layer.any.empty();
  const std::vector<bool> ranks = chosen_ranks(graph, selection);
  std::vector<bool> chosen;
  for (const WorkNode& node : graph.nodes)
    chosen.push_back(names[node.name] && kinds[node.kind] && streams[node.stream] &&
                     (node.layer == kNone ? of_no_layer : layers[node.layer]) &&
                     (node.rank == kNone || ranks[node.rank]) &&
                     selection.communicates.value_or(node.communicates) == node.communicates);
  return chosen;
}

}  // namespace stepcast
