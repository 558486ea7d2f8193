#include "sim/search/step_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/jobs/edits/graph_path.hpp"
#include "sim/search/lanes/lane_search.hpp"
#include "sim/search/step_in_hand.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

/// What was asked for, in order.
class AskedEdits {
 public:
  explicit AskedEdits(StepInHand& step) : step_(step) {}

  void apply(const EditRequest& request) {
    ++step_.result().tried;
    if (step_.step().replicated && request.verb == "replicate")
      return replicate(request);
    refuse_again(request);
    auto graphs = edited(step_.step().graphs, request, step_.step());
    if (are_same_work(graphs, step_.step().graphs)) {
      step_.result().notes.push_back(
          fmt::format("\"{}\" changes nothing of the step", request.text));
      return;
    }
    try {
      TimedStep changed = step_.timed(graphs);
      if (request.verb == "replicate") {
        const std::uint32_t gpus = gpus_of(graphs.front());
        step_.accept_size(request.text, gpus, std::move(graphs), std::move(changed));
      } else {
        step_.accept(EditKind::Asked, request.text, std::move(graphs), std::move(changed));
      }
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", request.text, error.what()));
    }
    note_limit(request);
    before_.push_back(request);
  }

 private:
  void replicate(const EditRequest& request);

  /// A step is made so once.
  void refuse_again(const EditRequest& request) const {
    if ((request.verb == "mixed-precision" || request.verb == "recomputation") &&
        std::ranges::count(before_, request.verb, &EditRequest::verb) > 0)
      throw InputError(request.text + ": is there already: expected it once");
  }

  /// Kernels of an update do not say of which layer they are, and tables have one update in all.
  void note_limit(const EditRequest& request) {
    if (request.verb == "priority-slices" && !step_.step().graphs.front().planned)
      step_.result().notes.push_back(fmt::format(
          "\"{}\" orders what is waited for within the step: the recording does not say which "
          "layer of the next forward pass an update frees",
          request.text));
  }

  /// A recorded rank may be of several GPUs.
  std::uint32_t gpus_of(const WorkGraph& graph) {
    const std::size_t ranks = step_.step().graphs.front().stages.size();
    return static_cast<std::uint32_t>(step_.result().gpus_after * graph.stages.size() / ranks);
  }

  StepInHand& step_;
  std::vector<EditRequest> before_;  // But for replicate of a plan.
};

/// The schedule plans the larger step, to which is done what was asked for before.
void AskedEdits::replicate(const EditRequest& request) try {
  const std::uint32_t ranks = graph_edit_of(request.verb, request.fields).count;
  EditableStep larger = step_.step().replicated(ranks);
  larger.replicated = step_.step().replicated;
  step_.result().memory_after += larger.memory - step_.step().memory;
  step_.replace(std::move(larger));
  std::vector<WorkGraph> graphs = step_.step().graphs;
  for (const EditRequest& earlier : before_)
    graphs = edited(graphs, earlier, step_.step());
  TimedStep changed = step_.timed(graphs);
  step_.accept_size(request.text, ranks, std::move(graphs), std::move(changed));
  step_.result().notes.push_back(
      fmt::format("\"{}\" plans the step anew for {} GPUs, each of which does as much as before",
                  request.text, ranks));
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", request.text, error.what()));
}

/// Those that leave results as they are.
void try_recipes(StepInHand& step) {
  for (const char* recipe : {"cuda-graphs", "fused-optimiser", "kernel-fusion"})
    step.try_recipe(recipe);
}

}  // namespace

void edit_step(EditableStep step, const std::vector<EditRequest>& asked, bool search,
               EditedStep& result) {
  const StopsBetweenJobs stops;
  StepInHand in_hand(std::move(step), result);
  AskedEdits edits(in_hand);
  for (const EditRequest& request : asked)
    edits.apply(request);
  if (search) {
    try_recipes(in_hand);
    LaneSearch(in_hand).run();
  }
  result.bound_by = path_in_words(in_hand.step().graphs.front(), in_hand.now());
}

void descend_step(EditableStep step, LaneDescent descent, KnownSteps& known, EditedStep& result) {
  const StopsBetweenJobs stops;
  StepInHand in_hand(std::move(step), result);
  try_recipes(in_hand);
  LaneSearch(in_hand).run(descent, known);
  result.bound_by = path_in_words(in_hand.step().graphs.front(), in_hand.now());
}

void add_likely_ranges(EditedStep& result, const std::string& device, Cluster cluster,
                       std::optional<bool> experts) {
  result.likely_before =
      likely_step(shipped_range(result.schedule, device, cluster, experts), result.step_before);
  if (result.gpus_after != result.gpus)
    cluster.nodes *= result.gpus_after / cluster.ranks();
  result.likely_after =
      likely_step(shipped_range(result.schedule, device, cluster, experts), result.step_after);
}

}  // namespace stepcast
