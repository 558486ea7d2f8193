#include "sim/search/options/schedule_edits.hpp"

#include "sim/forecast/effects.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/jobs/edits/replicated_step.hpp"
#include "sim/search/options/memory_fit.hpp"
#include "sim/search/options/option_ways.hpp"
#include "sim/search/options/pipeline_options.hpp"
#include "sim/search/options/plan_options.hpp"

namespace stepcast {
namespace {

/// Edits what was found of a job.
void edit_found(const FoundJob& found, const ScheduledJob& job, std::vector<EditRequest> asked,
                bool search, EditedStep& result) {
  result.memory_after = found.memory;
  asked.insert(asked.begin(), found.edits.begin(), found.edits.end());
  const ScheduledJob best = found.applied_to(job);
  EditableStep step = editable_step(found.run, best.workload, best.cluster);
  ReplicatedPlans larger(best);
  step.replicated = [&](std::uint32_t ranks) { return larger.at(ranks); };
  edit_step(std::move(step), asked, search, result);
  result.notes.insert(result.notes.end(), found.notes.begin(), found.notes.end());
  if (found.run.pipeline)
    for (const Note& note :
         notes_on_micro_batch(best.workload, found.run.pipeline->job.micro_batch))
      result.notes.insert(result.notes.begin(), note.text);
  note_memory(result);
}

}  // namespace

void edit_schedule(const ScheduledJob& job, std::vector<EditRequest> asked, bool search,
                   Bytes budget, EditedStep& result) {
  result.fidelity = job.engine.fidelity;
  result.device_memory = job.cluster.device.memory;
  result.memory_limit = budget;
  const bool any_options = search && asked.empty();
  const bool is_cut = job.info().partitions_model();
  FoundJob found =
      is_cut ? with_found_options(job, budget, any_options, result) : fitted_job(job, budget);
  result.memory_before = found.before;
  if (is_cut || !any_options || !found.notes.empty())
    return edit_found(found, job, std::move(asked), search, result);
  const Bytes limit = memory_limit(budget, job.cluster);
  if (pays_to_estimate(found.run.plan, job.engine)) {
    search_option_ways(job, found.run, limit, result);
    return note_memory(result);
  }
  ScheduledJob best = job;
  best.options = best_options_of(job, found.run, limit, result);
  if (best.options != job.options)
    found = fitted_job(best, budget);
  edit_found(found, best, std::move(asked), search, result);
}

}  // namespace stepcast
