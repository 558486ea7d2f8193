#include "sim/jobs/edits/recipe_meaning.hpp"

#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/edit/needs.hpp"

namespace stepcast {
namespace {

using Reasons = std::map<std::string, const char*>;

const Reasons& of_pipelines() {
  static const Reasons reasons = {
      {"fused-optimiser", "the update of a stage is one kernel already"},
      {"priority-slices",
       "a stage's update waits for all of its gradients, whichever come first: expected no such "
       "order of a pipeline"},
      {"recomputation",
       "what a stage keeps and computes again is its schedule's: expected `set` "
       "recompute=selective or full"},
      {"accumulation",
       "a pipeline's passes are of micro-batches: expected `set` micro_batch= or global_batch="}};
  return reasons;
}

/// Recipes that tell products from other work, and what says the same of a transformer's shape.
const Reasons& of_products() {
  static const Reasons keys = {{"mixed-precision", "precision=bf16"},
                               {"kernel-fusion", "attention=flash"},
                               {"gpu", "device="}};
  return keys;
}

void require_meaning_of_pipeline(const std::string& recipe, const PlannedModel& model) {
  if (const auto found = of_pipelines().find(recipe); found != of_pipelines().end())
    throw InputError(found->second);
  if (const auto found = of_products().find(recipe);
      found != of_products().end() && !model.knows_products)
    throw InputError(
        fmt::format("a pass of a transformer's stage has products and all else in one: expected "
                    "{} in `workload`",
                    found->second));
}

}  // namespace

void require_meaning(const std::string& recipe, const WorkGraph& graph, const PlannedModel* model) {
  if (model == nullptr && recipe == "priority-slices" && !overtakes(graph))
    throw InputError(
        "a recorded step ends before the next forward pass, which priorities serve, and nothing in "
        "it waits for a communication that could overtake another: expected a planned step, of "
        "`workload`");
  if (model != nullptr && recipe == "cuda-graphs")
    throw InputError("a planned step has no launches: expected a recorded job");
  if (model != nullptr && model->is_cut)
    require_meaning_of_pipeline(recipe, *model);
}

}  // namespace stepcast
