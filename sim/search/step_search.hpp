#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/schedule/option_info.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/likely_range.hpp"
#include "sim/jobs/edits/editable_step.hpp"
#include "sim/jobs/edits/recipes.hpp"
#include "sim/search/accepted_edit.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// A way down in the search for communications to fuse and to cut.
enum class LaneDescent : std::uint8_t {
  AllCuts,    ///< In as many pieces at once as pay.
  Halves,     ///< What is cut is cut in two, again and again.
  RowsFirst,  ///< Begins with whole rows of communications as few, of the best of sizes.
};

/// Steps that were timed, by the edits behind the same begin.
using KnownSteps = std::map<std::string, Seconds>;

/// A step, recorded or planned, with edits that were asked for and edits that were found.
struct EditedStep {
  std::string subject;           ///< The job, or the workload.
  std::string cluster;           ///< Of a planned step.
  std::string schedule;          ///< Of a planned step.
  Fidelity fidelity{};           ///< Of a planned step, which is simulated at it.
  std::uint32_t gpus = 1;        ///< As it begins.
  std::uint32_t gpus_after = 1;  ///< Of step_after.
  Bytes device_memory{};         ///< Of a planned step's GPU; 0: not known.
  Bytes memory_limit{};          ///< What is asked for that a GPU may hold; 0: nothing.
  Bytes memory_before{};         ///< What a GPU holds, of a recorded step as told; 0: not known.
  Bytes memory_after{};
  ScheduleOptions options;  ///< That were found, as `run` would be told.
  Seconds recorded{};       ///< Of a recorded step; 0: planned.
  double step_error = 0;    ///< Of its replay.
  RecordedPace pace{};      ///< Of all recorded steps: usual and stalled ones.
  Seconds step_before{};
  Seconds step_after{};
  LikelyStep likely_before{};  ///< Of a planned step; see add_likely_ranges().
  LikelyStep likely_after{};
  std::vector<AcceptedEdit> accepted;
  std::size_t tried = 0;      ///< Edits that were estimated, by what they save or by a replay.
  std::size_t replayed = 0;   ///< Steps that were estimated, where that is done first.
  std::size_t simulated = 0;  ///< Steps that were timed, at the fidelity asked for.
  std::string bound_by;
  std::vector<std::string> notes;
};

/// Applies what is asked for, whatever it gains (a note tells of what changes nothing), and then,
/// with `search`, whatever makes the step shorter. Fills all from step_before on, or goes on where
/// edits were accepted already.
///
/// The search goes in rounds. First recipes that leave results as they are (fused optimiser, kernel
/// fusion, CUDA graphs) where they are for such a step. Then of the communications on the critical
/// path: two neighbours are fused where q_end[n-1] > p_end[n] + t(m[n-1] + m[n]) - t(m[n]) (Hu et
/// al., dPRO, MLSys'22), and one that another passes on (a push and its pull) is cut in 2, 4, 8,
/// 16 and as many pieces as theory gives (best_parts()), while that pays; what follows them alone
/// is fused and cut alike. The same of all ranks and steps at once, but of a planned pipeline,
/// whose stages differ, of one stage. The four with the largest estimates are timed (see
/// LaneRound), while none of these gains the next four, sixteen at most; the best is kept. It ends
/// when none gains, or five rounds together less than 0.1 %.
///
/// Rounds are gone through from the same begin with all cuts, with cuts in two alone, and, where
/// nothing can be cut, from rows of communications that are fused up to the best of sizes. The
/// shortest step that one of these descents comes to counts, so that more to choose from never
/// leads to a longer one.
void edit_step(EditableStep step, const std::vector<EditRequest>& asked, bool search,
               EditedStep& result);

/// The search alone, down one way, whose candidates are simulated even where they could be
/// estimated: see LaneSearch::run().
void descend_step(EditableStep step, LaneDescent descent, KnownSteps& known, EditedStep& result);

/// Adds the likely ranges of the steps before and after the edits, see shipped_range(). The plan
/// may have been replicated, onto more nodes of the cluster.
void add_likely_ranges(EditedStep& result, const std::string& device, Cluster cluster,
                       std::optional<bool> experts = std::nullopt);

}  // namespace stepcast
