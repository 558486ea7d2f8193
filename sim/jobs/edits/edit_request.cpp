#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/edits/recipes.hpp"

namespace stepcast {

namespace {

[[noreturn]] void refuse_verb(const std::string& verb) {
  std::vector<std::string> known = edit_verbs();
  const std::size_t verbs = known.size();
  for (const RecipeInfo& recipe : recipes())
    known.push_back(recipe.name);
  const auto first_recipe = known.begin() + static_cast<std::ptrdiff_t>(verbs);
  throw InputError(fmt::format("expected one of {}, or a recipe: {}; found {}{}",
                               fmt::join(known.begin(), first_recipe, ", "),
                               fmt::join(first_recipe, known.end(), ", "), in_quotes(verb),
                               did_you_mean(verb, known)));
}

}  // namespace

EditRequest edit_request_of(const std::string& verb, std::map<std::string, std::string> fields) {
  EditRequest request{.verb = verb, .fields = std::move(fields), .text = verb};
  const auto found = std::ranges::find(recipes(), verb, &RecipeInfo::name);
  if (found == recipes().end()) {
    if (std::ranges::count(edit_verbs(), verb) == 0)
      refuse_verb(verb);
    request.text = graph_edit_of(verb, request.fields).text;
    return request;
  }
  for (const auto& [key, value] : request.fields) {
    if (std::ranges::find(found->keys, key) == found->keys.end())
      throw InputError(fmt::format(
          "{}: unknown key {}: expected {}", verb, in_quotes(key),
          found->keys.empty() ? "none" : fmt::format("{}", fmt::join(found->keys, ", "))));
    request.text += fmt::format(" {}={}", key, value);
  }
  return request;
}

EditRequest parse_edit_request(std::string_view text) {
  auto [verb, fields] = words_of_edit(text);
  return edit_request_of(verb, std::move(fields));
}

std::vector<WorkGraph> edited(const std::vector<WorkGraph>& graphs, const EditRequest& request,
                              const EditableStep& step) {
  const PlannedModel* model = step.model ? &*step.model : nullptr;
  std::vector<WorkGraph> result = graphs;
  std::size_t touched = 0;
  std::string why;
  for (WorkGraph& graph : result)
    for (const GraphEdit& edit : edits_of(request, graph, model)) {
      if (count_selected(edit, graph) == 0) {
        why = nothing_selected(edit, graph);
        continue;
      }
      EditOutcome outcome = apply(edit, graph, step.ratio);
      if (outcome.touched == 0)
        why = nothing_changed(edit);
      touched += outcome.touched;
      graph = std::move(outcome.graph);
    }
  if (touched == 0)
    throw InputError(why.starts_with(request.text) ? why
                                                   : fmt::format("{}: {}", request.text, why));
  return result;
}

bool are_same_work(const std::vector<WorkGraph>& one, const std::vector<WorkGraph>& other) {
  return std::ranges::equal(one, other, is_same_work);
}

}  // namespace stepcast
