#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/graph/edit/graph_edit.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// An edit as asked for: its verb, or the name of a recipe, and what belongs to it.
struct EditRequest {
  std::string verb;
  std::map<std::string, std::string> fields;
  std::string text;  ///< As reports name it.
};

/// What a recipe is asked for.
struct RecipeInput {
  const std::map<std::string, std::string>& fields;
  const WorkGraph& graph;
  const PlannedModel* model = nullptr;  ///< Of a planned step; null: recorded.
};

/// Edits that are known under a name.
struct RecipeInfo {
  std::string name;
  std::vector<std::string> keys;
  std::string meaning;
  /// Some of them may select nothing. Throws InputError, which says why and what to ask for
  /// instead, where it has no meaning for the step.
  std::vector<GraphEdit> (*edits)(const RecipeInput& of);
};
const std::vector<RecipeInfo>& recipes();

/// Checks all but what depends on the step. Throws InputError.
EditRequest edit_request_of(const std::string& verb, std::map<std::string, std::string> fields);
EditRequest parse_edit_request(std::string_view text);

/// The edits of a request for a step; of a recipe several, of which some may select nothing.
/// `model`: of a planned step; null: recorded. Throws InputError, which says why and what to ask
/// for instead, where the recipe has no meaning for such a step.
std::vector<GraphEdit> edits_of(const EditRequest& request, const WorkGraph& graph,
                                const PlannedModel* model);

/// All graphs, which are the step's or were, with what is asked for. Throws InputError where it
/// selects nothing.
std::vector<WorkGraph> edited(const std::vector<WorkGraph>& graphs, const EditRequest& request,
                              const EditableStep& step);

/// Whether an edit left all graphs as they were.
bool are_same_work(const std::vector<WorkGraph>& one, const std::vector<WorkGraph>& other);

}  // namespace stepcast
