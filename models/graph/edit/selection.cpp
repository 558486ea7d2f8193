#include "models/graph/edit/selection.hpp"

#include <algorithm>

namespace stepcast {
namespace {

std::vector<bool> holding(const std::vector<std::string>& texts, const TextSelection& selection) {
  std::vector<bool> holds;
  for (const std::string& text : texts)
    holds.push_back(selection.holds(text));
  return holds;
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
  const auto has_rank = [&](std::uint32_t rank) {
    return selection.ranks.empty() || rank == kNone ||
           std::ranges::any_of(selection.ranks, [&](const auto& range) {
             return range.first <= rank && rank <= range.second;
           });
  };
  std::vector<bool> chosen;
  for (const WorkNode& node : graph.nodes)
    chosen.push_back(names[node.name] && kinds[node.kind] && streams[node.stream] &&
                     (node.layer == kNone ? of_no_layer : layers[node.layer]) &&
                     has_rank(node.rank) &&
                     selection.communicates.value_or(node.communicates) == node.communicates);
  return chosen;
}

}  // namespace stepcast
